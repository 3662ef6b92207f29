import { emitEvents as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type AcceptDeps, acceptEvents } from './accept-events.ts'

/** Accepts a batch: every event is committed in PostgreSQL before the answer, or none is (decisions F2, F3). */
export const emitEvents = (deps: AcceptDeps) =>
  route(endpoint, {
    async handle({ body: { events }, principal, request, admitted: { workspace } }) {
      const { correlationId, clientIp: ip, takeLimit } = request
      const emission = { principal, workspaceId: workspace.id, ip, correlationId, takeLimit }

      const kept = await acceptEvents(deps, emission, events)

      return { result: kept.map(({ id, type, createdAt }) => ({ id, type, createdAt })) }
    },
  })
