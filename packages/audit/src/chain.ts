import { createHash } from 'node:crypto'

/** A row as it is hashed. */
export interface ChainedRow {
  sequence: number
  at: Date
  action: string
  actor: string
  subject: string
  ip: string | null
  correlationId: string | null
  /** JSON text, byte for byte as it is kept. */
  details: string
}

/** What the first row follows. */
export const GENESIS = '0'.repeat(64)

/** SHA-256 over the hash of the row before and every field, as a JSON list, so that no two rows read the same. */
export function hashOf(previous: string, row: ChainedRow): string {
  const { sequence, at, action, actor, subject, ip, correlationId, details } = row
  const fields = [previous, sequence, at.toISOString(), action, actor, subject, ip, correlationId, details]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}
