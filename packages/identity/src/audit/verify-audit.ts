import type { Audit } from '@platform/audit'
import { verifyAudit as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'

/** Reads the whole trail, in batches; a break in it is an answer, not a failure. */
export const verifyAudit = (deps: { audit: Pick<Audit, 'verify'> }) =>
  route(endpoint, {
    handle: async ({ query }) =>
      respond(await deps.audit.verify(query.head), { headers: { 'cache-control': 'no-store' } }),
  })
