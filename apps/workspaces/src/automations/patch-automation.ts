import { type AutomationLimits, readDefinition, requireWithinLimits } from '@platform/automation-checks'
import { automationUpdated, patchAutomation as endpoint } from '@platform/contracts'
import { type AutomationText, type RequestInfo, requireMatch, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { workspaceNotFound } from '@platform/permissions'
import { type Actor, actorOf } from '../changes/actor.ts'
import { announcedAutomation, automationEtag, isWhole, patchedDefinition, recordOf } from './automation.ts'
import type { AutomationChange, AutomationChanges } from './automation-store.ts'
import { findWarnings, namesOfFunctions } from './find-warnings.ts'
import { automationNotFound, savedResponse, slugTaken } from './saved-automation.ts'

export const patchAutomation = (deps: {
  changes: AutomationChanges
  clock: Clock
  eventMaxLength: number
  limits: AutomationLimits
}) =>
  route(endpoint, {
    async handle({ params, body, principal, request, admitted: { workspace } }) {
      const patch = readDefinition(body as unknown as AutomationText, false, deps.limits)
      const actor = actorOf(principal, request)

      const place = { workspaceId: workspace.id, slug: params.automationSlug }
      const options = {
        now: deps.clock.now(),
        eventMaxLength: deps.eventMaxLength,
        limits: deps.limits,
        headers: request.headers,
      }
      return await deps.changes.commit((change) => applyPatch(change, place, patch, actor, options))
    },
  })

async function applyPatch(
  change: AutomationChange,
  { workspaceId, slug }: { workspaceId: string; slug: string },
  { input: patch, source }: ReturnType<typeof readDefinition>,
  actor: Actor,
  options: {
    now: Date
    eventMaxLength: number
    limits: AutomationLimits
    headers: RequestInfo['headers']
  },
) {
  if ((await change.workspaces.touch(workspaceId)) === undefined) throw workspaceNotFound()
  const before = await change.automations.find(workspaceId, slug)
  if (before === undefined) throw automationNotFound(slug)
  requireMatch(options.headers, automationEtag(before))
  const definition = patchedDefinition(before.definition, patch)
  requireWithinLimits(definition, options.limits)
  const neighbours = (await change.automations.listNeighbours(workspaceId)).filter(
    (other) => other.slug !== slug,
  )
  if (neighbours.some((other) => other.slug === definition.slug)) throw slugTaken(definition.slug)

  const record = recordOf(definition, actor.id, options.now, before)
  await change.automations.update(workspaceId, slug, record)
  if (source !== undefined && isWhole(patch, record))
    await change.automations.setSource(workspaceId, definition.slug, source)
  const payload = {
    slug: definition.slug,
    ...(definition.slug === slug ? {} : { oldSlug: slug }),
    automation: announcedAutomation(definition, options.eventMaxLength),
  }
  await change.emit(automationUpdated, payload, { ...actor.source, workspaceId })
  const functions = await namesOfFunctions(change, workspaceId, definition)
  return savedResponse(record, findWarnings(definition, neighbours, functions))
}
