import { type AutomationDefinition, automationCreated } from '@platform/contracts'
import { type RouteResponse, respond } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Actor } from '../changes/actor.ts'
import {
  type AutomationRecord,
  announcedAutomation,
  automationEtag,
  presentAutomation,
  recordOf,
} from './automation.ts'
import type { AutomationChange } from './automation-store.ts'
import type { Warning } from './step-warnings.ts'

/** Adds an automation to a workspace and reports it by an event, inside a change. */
export async function addAutomation(
  change: AutomationChange,
  workspaceId: string,
  definition: AutomationDefinition,
  actor: Actor,
  options: { now: Date; eventMaxLength: number },
): Promise<AutomationRecord> {
  const record = recordOf(definition, actor.id, options.now)
  await change.automations.insert(workspaceId, record)
  const payload = {
    slug: definition.slug,
    automation: announcedAutomation(definition, options.eventMaxLength),
  }
  await change.emit(automationCreated, payload, { ...actor.source, workspaceId })
  return record
}

/** The response to a save: the automation, its state as ETag, and its warnings where there are any. */
export const savedResponse = (record: AutomationRecord, warnings: Warning[]): RouteResponse =>
  respond(
    { ...presentAutomation(record), ...(warnings.length === 0 ? {} : { warnings }) },
    { headers: { etag: automationEtag(record) } },
  )

/** 404 to members of the workspace; others never get this far. */
export const automationNotFound = (slug: string): Failure =>
  new Failure('ObjectNotFoundError', `There is no automation "${slug.slice(0, 100)}" in this workspace.`)

/** 409: a slug is the identity of one automation of a workspace. */
export const slugTaken = (slug: string): Failure =>
  new Failure('AlreadyUsed', `The automation slug "${slug}" is taken in this workspace: choose another one.`)
