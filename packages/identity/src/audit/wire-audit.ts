import type { Audit } from '@platform/audit'
import type { Part } from '../identity-base.ts'
import { listAudit } from './list-audit.ts'
import { verifyAudit } from './verify-audit.ts'

/** Reading the audit trail, for the composition root. */
export const wireAudit = (deps: { audit: Audit }): Part => ({
  routes: [listAudit(deps), verifyAudit(deps)],
  jobs: [],
})
