import type { Audit, AuditEntry } from '@platform/audit'
import { actorOf as auditedActorOf, type Principal } from '@platform/auth'
import {
  getSuspension as getContract,
  putSuspension as putContract,
  type WorkspaceSuspension,
  workspaceEvents,
} from '@platform/contracts'
import type { Database } from '@platform/database'
import { etagOf, type RequestInfo, requireMatch, respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import {
  type OpenPermissions,
  type PermissionStore,
  permissionStore,
  type Suspension,
  workspaceNotFound,
} from '@platform/permissions'
import type { Part } from '@platform/service'
import { actorOf } from '../changes/actor.ts'
import { type Change, changeStore } from '../changes/change-store.ts'
import { type WorkspaceStore, workspaceStore } from '../workspaces/workspace-store.ts'

interface Needs {
  readonly database: Database
  readonly outbox: Outbox
  readonly audit: Audit
  readonly permissions: OpenPermissions
  readonly clock: Clock
}

/** Operators stop what a workspace does, and let it go on. */
export function suspensionsPart({ database, outbox, audit, permissions, clock }: Needs): Part {
  const changes = changeStore(database, outbox, (tx) => ({
    workspaces: workspaceStore(tx),
    audit: (entry: AuditEntry) => audit.record(tx, entry),
  }))
  return {
    routes: [
      getSuspension({ suspensions: permissionStore(database) }),
      putSuspension({ changes, permissions, clock }),
    ],
  }
}

const getSuspension = ({ suspensions }: { suspensions: Pick<PermissionStore, 'findSuspension'> }) =>
  route(getContract, {
    handle: async ({ admitted: { workspace } }) =>
      presentSuspension(workspace.id, await suspensions.findSuspension(workspace.id)),
  })

/** What a change of a suspension touches: the audit is always its last step. */
type SuspensionChange = Change<{
  workspaces: Pick<WorkspaceStore, 'lock' | 'touch'>
  audit: (entry: AuditEntry) => Promise<void>
}>

const putSuspension = (deps: {
  changes: { commit<T>(work: (change: SuspensionChange) => Promise<T>): Promise<T> }
  permissions: OpenPermissions
  clock: Clock
}) =>
  route(putContract, {
    async handle({ body, principal, request, admitted: { workspace } }) {
      const { id } = workspace
      const by = { principal, request }
      const wanted = body.suspended
        ? { reason: body.reason ?? '', at: deps.clock.now(), by: actorOf(principal, request).id }
        : undefined
      const saved = await deps.changes.commit(async (change) => {
        if (!(await change.workspaces.lock(id))) throw workspaceNotFound()
        const before = await change.permissions.findSuspension(id)
        requireMatch(request.headers, etagOf(getContract, presentSuspension(id, before)))
        if (before?.reason === wanted?.reason) return before
        // Whoever keeps the workspace in memory reads it again.
        await change.workspaces.touch(id)
        await save(change, id, wanted, by)
        return wanted
      })
      deps.permissions.forget()
      const shown = presentSuspension(id, saved)
      return respond(shown, { headers: { etag: etagOf(getContract, shown) } })
    },
  })

async function save(
  change: SuspensionChange,
  workspaceId: string,
  suspension: Suspension | undefined,
  { principal, request }: { principal: Principal; request: RequestInfo },
): Promise<void> {
  await change.permissions.setSuspension(workspaceId, suspension)
  const [suspended, reason] = [suspension !== undefined, suspension?.reason ?? '']
  const source = { ...actorOf(principal, request).source, workspaceId }
  await change.emit(workspaceEvents.suspended, { workspaceId, suspended, reason }, source)
  await change.audit({
    action: suspended ? 'workspace.suspended' : 'workspace.resumed',
    actor: auditedActorOf(principal),
    subject: `workspace:${workspaceId}`,
    ip: request.clientIp,
    correlationId: request.correlationId,
    details: suspended ? { reason } : {},
  })
}

const presentSuspension = (workspaceId: string, suspension: Suspension | undefined): WorkspaceSuspension => ({
  workspaceId,
  suspended: suspension !== undefined,
  reason: suspension?.reason ?? '',
  suspendedAt: suspension?.at.toISOString() ?? null,
  suspendedBy: suspension?.by ?? null,
})
