import { type Audit, openAudit } from '@platform/audit'
import { listAudit as listAuditContract, verifyAudit as verifyAuditContract } from '@platform/contracts'
import type { Database } from '@platform/database'
import { respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Part } from '@platform/service'
import { type SignInLog, signInLog } from './sign-in-log.ts'

/** The audit trail, to be written and read. */
export interface AuditTrail {
  audit: Audit
  signInLog: SignInLog
  part: Part
}

export async function openAuditTrail(needs: {
  database: Database
  outbox: Outbox
  clock: Clock
}): Promise<AuditTrail> {
  const audit = await openAudit(needs)
  return {
    audit,
    signInLog: signInLog({ ...needs, audit }),
    part: { routes: [listAudit({ audit }), verifyAudit({ audit })] },
  }
}

const listAudit = (deps: { audit: Pick<Audit, 'list'> }) =>
  route(listAuditContract, {
    handle: async ({ query }) =>
      respond(await deps.audit.list(query), { headers: { 'cache-control': 'no-store' } }),
  })

/** Reads the whole trail, in batches; a break in it is an answer, not a failure. */
const verifyAudit = (deps: { audit: Pick<Audit, 'verify'> }) =>
  route(verifyAuditContract, {
    handle: async ({ query }) =>
      respond(await deps.audit.verify(query.head), { headers: { 'cache-control': 'no-store' } }),
  })
