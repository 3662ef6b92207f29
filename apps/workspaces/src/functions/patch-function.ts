import { patchFunction as endpoint, type FunctionDefinition } from '@platform/contracts'
import { requireMatch, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { FunctionDeclaring } from './change-function.ts'
import { requireCallable } from './check-functions.ts'
import {
  definitionOf,
  functionEtag,
  functionNotFound,
  functionResponse,
  recordOf,
} from './declared-function.ts'
import { applyChange, type ChangedBy, changerOf, lockWorkspace } from './function-change.ts'
import type { FunctionStore } from './function-store.ts'

/** Changes a part of a function. The whole of it is checked before the transaction, which then finds it as it was. */
export const patchFunction = (
  deps: Omit<FunctionDeclaring, 'permissions'> & { readonly functions: Pick<FunctionStore, 'find'> },
) =>
  route(endpoint, {
    async handle({ params, body, principal, request, admitted: { workspace } }) {
      const name = params.functionName
      const before = await deps.functions.find(workspace.id, name)
      if (before === undefined) throw functionNotFound(name)
      requireMatch(request.headers, functionEtag(before))
      const definition = patched(before.definition, body)
      await requireCallable([definition], workspace.id, deps)

      const by: ChangedBy = { workspaceId: workspace.id, principal, request }
      return await deps.changes.commit(async (change) => {
        await lockWorkspace(change, by)
        const now = await change.functions.find(workspace.id, name)
        if (now === undefined) throw functionNotFound(name)
        if (functionEtag(now) !== functionEtag(before)) throw changedMeanwhile(name)
        const record = recordOf(definition, changerOf(by), deps.clock.now(), now)
        await applyChange(change, { created: [], updated: [record], deleted: [] }, by, deps.eventMaxLength)
        return functionResponse(record)
      })
    },
  })

const patched = (before: FunctionDefinition, patch: object): FunctionDefinition =>
  definitionOf({ ...before, ...patch } as FunctionDefinition)

const changedMeanwhile = (name: string) =>
  new Failure(
    'PreconditionFailed',
    `The function "${name}" was changed at the same moment: read it and try again.`,
  )
