import type { AuditEntry } from '@platform/audit'
import { actorOf, type Principal } from '@platform/auth'
import type { RequestInfo } from '@platform/http'
import { type Admission, type Permissions, workspaceNotFound } from '@platform/permissions'

/**
 * Who may act on the runs of a workspace: who may execute its automations by a role, a key or their power. Everybody
 * may execute those that have a URL; to them the workspace is not there.
 */
export async function admitToRuns(
  permissions: Permissions,
  principal: Principal,
  workspaceId: string,
): Promise<Admission> {
  const admission = await permissions.require(principal, 'execute', {
    type: 'automations',
    workspace: workspaceId,
  })
  if (admission.by === 'everybody') throw workspaceNotFound()
  return admission
}

/** What the audit trail tells of somebody who acted on a run. */
export const entryOf = (
  action: AuditEntry['action'],
  runId: string,
  workspaceId: string,
  by: Actor,
): AuditEntry => actEntryOf(action, `run:${runId}`, workspaceId, by)

interface Actor {
  readonly principal: Principal
  readonly request: RequestInfo
}

/** The same of somebody who acted on many. */
export const actEntryOf = (
  action: AuditEntry['action'],
  subject: string,
  workspaceId: string,
  { principal, request }: Actor,
): AuditEntry => ({
  action,
  actor: actorOf(principal),
  subject,
  ip: request.clientIp,
  correlationId: request.correlationId,
  details: { workspaceId },
})
