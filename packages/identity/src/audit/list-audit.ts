import type { Audit } from '@platform/audit'
import { listAudit as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'

export const listAudit = (deps: { audit: Pick<Audit, 'list'> }) =>
  route(endpoint, {
    handle: async ({ query }) =>
      respond(await deps.audit.list(query), { headers: { 'cache-control': 'no-store' } }),
  })
