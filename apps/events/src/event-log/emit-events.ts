import { authenticated } from '@platform/auth'
import { emitEvents as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { buildRecord, type Outbox } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import { refuseNativeTypes, sourceOf } from './new-event.ts'

/** Accepts a batch: every event is committed in PostgreSQL before the answer, or none is (decisions F2, F3). */
export const emitEvents = (deps: { permissions: Permissions; outbox: Outbox }) =>
  route(endpoint, {
    access: authenticated,
    admit: ({ params, principal }) =>
      deps.permissions.require(principal, 'create', 'events', params.workspaceId),
    async handle({ body, principal, request, admitted: { workspace } }) {
      refuseNativeTypes(body.events)
      await request.takeLimit('emit', workspace.id, body.events.length)
      const user = principal.kind === 'user' ? principal : undefined

      const { correlationId, clientIp: ip } = request
      const source = sourceOf({
        workspaceId: workspace.id,
        userId: user?.userId,
        sessionId: user?.sessionId,
        ip,
        correlationId,
      })
      const records = body.events.map((event) => buildRecord({ ...event, source }))
      await deps.outbox.commit(records)

      return { result: records.map(({ id, type, createdAt }) => ({ id, type, createdAt })) }
    },
  })
