import { authenticated, type Principal } from '@platform/auth'
import { emitEvents as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { buildRecord, type Outbox } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import { refuseNativeTypes, refuseStrangeIds, sourceOf } from './new-event.ts'

/** Accepts a batch: every event is committed in PostgreSQL before the answer, or none is (decisions F2, F3). */
export const emitEvents = (deps: {
  permissions: Permissions
  outbox: Outbox
  clock: Clock
  /** How long the outbox can tell that an id was used. */
  outboxRetentionHours: number
}) =>
  route(endpoint, {
    access: authenticated,
    admit: ({ params, principal }) =>
      deps.permissions.require(principal, 'create', 'events', params.workspaceId),
    async handle({ body: { events }, principal, request, admitted: { workspace } }) {
      refuseNativeTypes(events)
      refuseStrangeIds(events, deps.clock.now(), deps.outboxRetentionHours)
      await request.takeLimit('emitByCaller', callerOf(principal) ?? request.clientIp, events.length)
      await request.takeLimit('emit', workspace.id, events.length)
      const user = principal.kind === 'user' ? principal : undefined

      const { correlationId, clientIp: ip } = request
      const source = sourceOf({
        workspaceId: workspace.id,
        userId: user?.userId,
        sessionId: user?.sessionId,
        ip,
        correlationId,
      })
      const records = events.map((event) => buildRecord({ ...event, source }))
      const isAgain = events.some(({ id }) => id !== undefined)
      const kept = isAgain ? await deps.outbox.commitOnce(records) : records
      if (!isAgain) await deps.outbox.commit(records)

      return { result: kept.map(({ id, type, createdAt }) => ({ id, type, createdAt })) }
    },
  })

function callerOf(principal: Principal): string | undefined {
  if (principal.kind === 'user') return principal.userId
  return principal.kind === 'apiKey' ? principal.apiKeyId : undefined
}
