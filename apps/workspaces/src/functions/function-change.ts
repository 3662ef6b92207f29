import type { AuditEntry } from '@platform/audit'
import { actorOf as auditedActorOf, type Principal } from '@platform/auth'
import {
  type EventSource,
  functionCreated,
  functionDeleted,
  functionUpdated,
  type SyncedFunctions,
} from '@platform/contracts'
import type { RequestInfo } from '@platform/http'
import { workspaceNotFound } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import type { Change } from '../changes/change-store.ts'
import { announcedFunction, type FunctionRecord } from './declared-function.ts'
import type { FunctionStore } from './function-store.ts'

/** What a change of functions touches: its workspace, too, which stays locked until the change is committed. */
export type FunctionChange = Change<{
  functions: FunctionStore
  workspaces: { touch(workspaceId: string): Promise<object | undefined> }
  /** Always the last step of a change. */
  audit(entry: AuditEntry): Promise<void>
}>

export interface FunctionChanges {
  commit<T>(work: (change: FunctionChange) => Promise<T>): Promise<T>
}

/** Who changes functions of which workspace, by which request. */
export interface ChangedBy {
  readonly workspaceId: string
  readonly principal: Principal
  readonly request: RequestInfo
}

export const changerOf = ({ principal, request }: ChangedBy): string => actorOf(principal, request).id

/** Locks the workspace of a change. Throws ObjectNotFoundError where it was deleted meanwhile. */
export async function lockWorkspace(change: FunctionChange, { workspaceId }: ChangedBy): Promise<void> {
  if ((await change.workspaces.touch(workspaceId)) === undefined) throw workspaceNotFound()
}

/** What is done in one change. */
export interface FunctionSet {
  readonly created: readonly FunctionRecord[]
  readonly updated: readonly FunctionRecord[]
  readonly deleted: readonly string[]
}

/** Stores what changed, tells of it by events, and notes it in the audit trail. */
export async function applyChange(
  change: FunctionChange,
  set: FunctionSet,
  by: ChangedBy,
  eventMaxLength: number,
): Promise<Omit<SyncedFunctions, 'unchanged'>> {
  const { workspaceId } = by
  const source: EventSource = { ...actorOf(by.principal, by.request).source, workspaceId }
  if (set.deleted.length > 0) await change.functions.remove(workspaceId, set.deleted)
  for (const record of [...set.created, ...set.updated]) await change.functions.save(workspaceId, record)
  const payloadOf = ({ definition }: FunctionRecord) => ({
    name: definition.name,
    function: announcedFunction(definition, eventMaxLength),
  })
  for (const record of set.created) await change.emit(functionCreated, payloadOf(record), source)
  for (const record of set.updated) await change.emit(functionUpdated, payloadOf(record), source)
  for (const name of set.deleted) await change.emit(functionDeleted, { name }, source)

  const names = (records: readonly FunctionRecord[]) => records.map(({ definition }) => definition.name)
  const changed = { created: names(set.created), updated: names(set.updated), deleted: [...set.deleted] }
  if (Object.values(changed).some((list) => list.length > 0)) await change.audit(entryOf(by, changed))
  return changed
}

const entryOf = (
  { workspaceId, principal, request }: ChangedBy,
  changed: Record<string, unknown>,
): AuditEntry => ({
  action: 'functions.changed',
  actor: auditedActorOf(principal),
  subject: `workspace:${workspaceId}`,
  ip: request.clientIp,
  correlationId: request.correlationId,
  details: changed,
})
