import { emitEvents as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type AcceptDeps, acceptEvents } from './accept-events.ts'

/** Accepts a batch: every event is committed in PostgreSQL before the answer, or none is. */
export const emitEvents = (deps: AcceptDeps) =>
  route(endpoint, {
    async handle({ body: { events }, principal, request, admitted: { workspace } }) {
      const { correlationId, clientIp: ip, takeLimit } = request
      const emission = { principal, workspaceId: workspace.id, ip, correlationId, takeLimit }

      const stored = await acceptEvents(deps, emission, events)

      return { result: stored.map(({ id, type, createdAt }) => ({ id, type, createdAt })) }
    },
  })
