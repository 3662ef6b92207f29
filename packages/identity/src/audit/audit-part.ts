import { type Audit, openAudit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Part } from '@platform/service'
import { listAudit } from './list-audit.ts'
import { type SignInLog, signInLog } from './sign-in-log.ts'
import { verifyAudit } from './verify-audit.ts'

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
