import { type AutomationLimits, readDefinition } from '@platform/automation-checks'
import { createAutomation as endpoint } from '@platform/contracts'
import { type AutomationText, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import { workspaceNotFound } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { identified } from './automation.ts'
import type { AutomationChanges } from './automation-store.ts'
import { findWarnings, namesOfFunctions } from './find-warnings.ts'
import { addAutomation, savedResponse, slugTaken } from './saved-automation.ts'

/** What an automation may be, and how many a workspace may have. */
export interface WorkspaceLimits extends AutomationLimits {
  readonly automations: number
}

export const createAutomation = (deps: {
  changes: AutomationChanges
  clock: Clock
  eventMaxLength: number
  limits: WorkspaceLimits
}) =>
  route(endpoint, {
    async handle({ body, principal, request, admitted: { workspace } }) {
      const { input, source } = readDefinition(body as unknown as AutomationText, true, deps.limits)
      const actor = actorOf(principal, request)

      return await deps.changes.commit(async (change) => {
        // The row of the workspace stays locked: no other request adds an automation before the insert.
        if ((await change.workspaces.touch(workspace.id)) === undefined) throw workspaceNotFound()
        const neighbours = await change.automations.listNeighbours(workspace.id)
        requireRoomForAutomation(neighbours.length, deps.limits)
        const taken = new Set(neighbours.map(({ slug }) => slug))
        const definition = identified(input, taken)
        if (taken.has(definition.slug)) throw slugTaken(definition.slug)

        const options = { now: deps.clock.now(), eventMaxLength: deps.eventMaxLength }
        const record = await addAutomation(change, workspace.id, definition, actor, options)
        if (source !== undefined) await change.automations.setSource(workspace.id, definition.slug, source)
        const functions = await namesOfFunctions(change, workspace.id, definition)
        return savedResponse(record, findWarnings(definition, neighbours, functions))
      })
    },
  })

/** Refuses one automation more than a workspace may have. */
function requireRoomForAutomation(present: number, { automations }: WorkspaceLimits): void {
  if (present < automations) return
  throw new Failure(
    'ForbiddenError',
    `A workspace may have ${automations.toLocaleString('en')} automations, and this one has them: delete one first.`,
    { details: { max: automations } },
  )
}
