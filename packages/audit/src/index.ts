export type { Audit, AuditAction, AuditEntry, AuditFilter, AuditVerdict } from './audit.ts'
export { auditMigrations, openAudit } from './open-audit.ts'
