import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { FunctionCalls } from '@platform/function-calls'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { OpenPermissions } from '@platform/permissions'
import type { Part } from '@platform/service'
import { changeStore } from '../changes/change-store.ts'
import { workspaceStore } from '../workspaces/workspace-store.ts'
import { deleteFunction, putFunction } from './change-function.ts'
import { codeChecker, type FunctionLimits } from './check-functions.ts'
import { functionStore } from './function-store.ts'
import { patchFunction } from './patch-function.ts'
import { getFunction, listFunctions } from './read-functions.ts'
import { syncFunctions } from './sync-functions.ts'

/** Functions in code that the automations of a workspace call. */
export function functionsPart({
  database,
  outbox,
  audit,
  permissions,
  calls,
  clock,
  eventMaxLength,
  limits,
}: {
  database: Database
  outbox: Outbox
  audit: Audit
  permissions: OpenPermissions
  /** Where functions run: they are checked there. */
  calls: FunctionCalls
  clock: Clock
  eventMaxLength: number
  limits: FunctionLimits
}): Part {
  const functions = functionStore(database)
  const changes = changeStore(database, outbox, (tx) => ({
    functions: functionStore(tx),
    workspaces: workspaceStore(tx),
    audit: (entry: Parameters<Audit['record']>[1]) => audit.record(tx, entry),
  }))
  const checkCode = codeChecker(calls)
  const common = { changes, permissions, checkCode, clock, eventMaxLength, limits }
  return {
    routes: [
      listFunctions({ functions }),
      syncFunctions(common),
      getFunction({ functions }),
      putFunction(common),
      patchFunction({ ...common, functions }),
      deleteFunction({ changes, eventMaxLength }),
    ],
    closing: async () => await calls[Symbol.asyncDispose](),
  }
}
