import type { AuditEntry as AuditRow, auditActions } from '@platform/contracts'
import type { Queries } from '@platform/database'

export type AuditAction = (typeof auditActions)[number]

/**
 * What is to be remembered. Nothing secret ever: no token, key, code or password, not even masked ones beyond their
 * last characters.
 */
export interface AuditEntry {
  action: AuditAction
  /** `user:<id>`, `apiKey:<id>`, `client:<id>`, `platform` for operators with the internal key and jobs, `nobody`. */
  actor: string
  /** `<kind>:<id>`, for example `session:…`, `accessToken:…`, `user:…`. */
  subject: string
  ip?: string | undefined
  correlationId?: string | undefined
  details?: Record<string, unknown>
}

/** Where the chain stands, and the first row that does not fit. */
export interface AuditVerdict {
  intact: boolean
  entries: number
  /** SHA-256 of the newest row; null while there is none. */
  head: string | null
  broken: { sequence: number; reason: string } | null
}

/** Which rows are asked for; all conditions hold together. */
export interface AuditFilter {
  before?: number | undefined
  limit: number
  action?: AuditAction | undefined
  subject?: string | undefined
  actor?: string | undefined
}

/**
 * The append-only, hash-chained trail of what matters to security. It is stored in schema `audit`, whose rows the
 * platform can neither change nor delete.
 */
export interface Audit {
  /**
   * Adds rows inside `tx`, as its LAST statement: the chain is locked until the transaction ends, so that rows are in
   * the order of their commits and never without the change they record.
   */
  record(tx: Queries, ...entries: AuditEntry[]): Promise<void>
  /** For what has no transaction of its own, such as a refused sign-in. */
  note(...entries: AuditEntry[]): Promise<void>
  list(filter: AuditFilter): Promise<AuditRow[]>
  /**
   * Recomputes the whole chain in bounded batches. With `head`, also proves that the row with this hash is still
   * there.
   */
  verify(head?: string): Promise<AuditVerdict>
}
