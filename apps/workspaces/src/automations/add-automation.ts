import { type AutomationDefinition, automationCreated } from '@platform/contracts'
import type { Actor } from '../changes/actor.ts'
import type { Change } from '../changes/change-store.ts'
import { type AutomationRecord, announcedAutomation, recordOf } from './automation.ts'

/** Adds an automation to a workspace and tells of it, inside a change. */
export async function addAutomation(
  change: Change,
  workspaceId: string,
  definition: AutomationDefinition,
  caller: Actor,
  options: { now: Date; eventMaxLength: number },
): Promise<AutomationRecord> {
  const record = recordOf(definition, caller.id, options.now)
  await change.automations.insert(workspaceId, record)
  const payload = {
    slug: definition.slug,
    automation: announcedAutomation(definition, options.eventMaxLength),
  }
  await change.emit(automationCreated, payload, { ...caller.source, workspaceId })
  return record
}
