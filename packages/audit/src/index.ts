export type { Audit, AuditAction, AuditEntry, AuditFilter, AuditVerdict } from './audit.ts'
export { openAudit } from './open-audit.ts'
