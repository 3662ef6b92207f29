import type { IncomingHttpHeaders } from 'node:http'
import {
  deleteFunction as deleteContract,
  FunctionName,
  putFunction as putContract,
} from '@platform/contracts'
import { requireMatch, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import {
  type CheckCode,
  type FunctionLimits,
  requireCallable,
  requireRoomForFunctions,
} from './check-functions.ts'
import {
  definitionOf,
  type FunctionRecord,
  functionEtag,
  functionNotFound,
  functionResponse,
  recordOf,
} from './declared-function.ts'
import {
  applyChange,
  type ChangedBy,
  changerOf,
  type FunctionChanges,
  lockWorkspace,
} from './function-change.ts'

/** What declaring functions needs. */
export interface FunctionDeclaring {
  readonly changes: FunctionChanges
  readonly permissions: Pick<Permissions, 'require'>
  readonly checkCode: CheckCode
  readonly clock: Clock
  readonly eventMaxLength: number
  readonly limits: FunctionLimits
}

export const putFunction = (deps: FunctionDeclaring) =>
  route(putContract, {
    async handle({ params, body, principal, request, admitted: { workspace } }) {
      const definition = definitionOf({ ...body, name: nameOf(params.functionName, body.name) })
      await requireCallable([definition], workspace.id, deps)

      const by: ChangedBy = { workspaceId: workspace.id, principal, request }
      const mayCreate = await isAllowed(deps.permissions, by)
      return await deps.changes.commit(async (change) => {
        await lockWorkspace(change, by)
        const before = await change.functions.find(workspace.id, definition.name)
        requireState(before, request.headers)
        if (before === undefined) {
          if (mayCreate !== true) throw mayCreate
          requireRoomForFunctions((await change.functions.listNames(workspace.id)).length + 1, deps.limits)
        }
        const record = recordOf(definition, changerOf(by), deps.clock.now(), before)
        const set =
          before === undefined
            ? { created: [record], updated: [], deleted: [] }
            : { created: [], updated: [record], deleted: [] }
        await applyChange(change, set, by, deps.eventMaxLength)
        return functionResponse(record)
      })
    },
  })

/** The name in the path; a body may repeat it. */
function nameOf(given: string, repeated: string | undefined): string {
  const name = FunctionName.safeParse(given)
  const message =
    name.error?.issues[0]?.message ??
    (repeated === undefined || repeated === given
      ? undefined
      : 'must be the name in the body, where that has one')
  if (message === undefined) return given
  throw new Failure('RequestValidationError', `The name of the function ${message}.`, {
    details: [{ path: 'functionName', message }],
  })
}

/** Asked before the transaction: whoever may change functions may perhaps not declare new ones. */
async function isAllowed(
  permissions: FunctionDeclaring['permissions'],
  { principal, workspaceId }: ChangedBy,
): Promise<true | Failure> {
  try {
    await permissions.require(principal, 'create', { type: 'automations', workspace: workspaceId })
    return true
  } catch (error) {
    if (error instanceof Failure && error.status === 403) return error
    throw error
  }
}

function requireState(before: FunctionRecord | undefined, headers: IncomingHttpHeaders): void {
  if (before !== undefined) requireMatch(headers, functionEtag(before))
  else if (headers['if-match'] !== undefined)
    throw new Failure('PreconditionFailed', 'There is no such function yet: declare it without If-Match.')
}

export const deleteFunction = (deps: Pick<FunctionDeclaring, 'changes' | 'eventMaxLength'>) =>
  route(deleteContract, {
    async handle({ params, principal, request, admitted: { workspace } }) {
      const name = params.functionName
      const by: ChangedBy = { workspaceId: workspace.id, principal, request }
      await deps.changes.commit(async (change) => {
        await lockWorkspace(change, by)
        const record = await change.functions.find(workspace.id, name)
        if (record === undefined) throw functionNotFound(name)
        requireMatch(request.headers, functionEtag(record))
        await applyChange(change, { created: [], updated: [], deleted: [name] }, by, deps.eventMaxLength)
      })
      return { name }
    },
  })
