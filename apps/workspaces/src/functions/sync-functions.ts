import { syncFunctions as endpoint, type FunctionDefinition } from '@platform/contracts'
import { route } from '@platform/http'
import type { FunctionDeclaring } from './change-function.ts'
import { requireCallable, requireRoomForFunctions } from './check-functions.ts'
import { checksumOf, definitionOf, type FunctionRecord, recordOf } from './declared-function.ts'
import { applyChange, type ChangedBy, changerOf, lockWorkspace } from './function-change.ts'

export const syncFunctions = (deps: FunctionDeclaring) =>
  route(endpoint, {
    async handle({ body, principal, request, admitted: { workspace } }) {
      // It may do all three.
      for (const action of ['create', 'delete'] as const)
        await deps.permissions.require(principal, action, { type: 'automations', workspace: workspace.id })
      const wanted = body.functions.map(definitionOf)
      requireRoomForFunctions(wanted.length, deps.limits)
      await requireCallable(wanted, workspace.id, deps)

      const by: ChangedBy = { workspaceId: workspace.id, principal, request }
      return await deps.changes.commit(async (change) => {
        await lockWorkspace(change, by)
        const present = await change.functions.list(workspace.id)
        const { unchanged, ...set } = compare(wanted, present, changerOf(by), deps.clock.now())
        return { ...(await applyChange(change, set, by, deps.eventMaxLength)), unchanged }
      })
    },
  })

/** What must be done so that exactly the wanted ones are there. */
function compare(
  wanted: readonly FunctionDefinition[],
  present: readonly FunctionRecord[],
  by: string,
  now: Date,
) {
  const before = new Map(present.map((record) => [record.definition.name, record]))
  const names = new Set(wanted.map(({ name }) => name))
  const isSame = (one: FunctionDefinition) => before.get(one.name)?.checksum === checksumOf(one)
  const changed = wanted
    .filter((one) => !isSame(one))
    .map((one) => recordOf(one, by, now, before.get(one.name)))
  return {
    created: changed.filter(({ definition }) => !before.has(definition.name)),
    updated: changed.filter(({ definition }) => before.has(definition.name)),
    deleted: [...before.keys()].filter((name) => !names.has(name)),
    unchanged: wanted.filter(isSame).map(({ name }) => name),
  }
}
