import { createHash } from 'node:crypto'
import type { AuditVerdict } from './audit.ts'

/** A row as it is hashed. */
export interface ChainedRow {
  sequence: number
  at: Date
  action: string
  actor: string
  subject: string
  ip: string | null
  correlationId: string | null
  /** JSON text, byte for byte as it is stored. */
  details: string
}

/** A row as it is stored. */
export interface StoredRow extends ChainedRow {
  hash: string
}

/** What the first row follows. */
export const GENESIS = '0'.repeat(64)

/** SHA-256 over the hash of the row before and every field, as a JSON list, so that no two rows read the same. */
export function hashOf(previous: string, row: ChainedRow): string {
  const { sequence, at, action, actor, subject, ip, correlationId, details } = row
  const fields = [previous, sequence, at.toISOString(), action, actor, subject, ip, correlationId, details]
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex')
}

const BATCH = 1000

/** Walks the whole chain, a bounded batch at once. */
export async function verifyChain(
  store: { listAfter(sequence: number, limit: number): Promise<StoredRow[]> },
  expectedHead: string | undefined,
): Promise<AuditVerdict> {
  let previous = { sequence: 0, hash: GENESIS }
  let headSeen = expectedHead === undefined
  // From below zero: a row put before the first one is found too.
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    const rows = await store.listAfter(after, BATCH)
    for (const row of rows) {
      const broken = problemOf(row, previous)
      if (broken !== undefined) return verdict(previous, broken)
      headSeen ||= row.hash === expectedHead
      previous = row
    }
    if (rows.length < BATCH) break
    after = previous.sequence
  }
  if (headSeen) return verdict(previous, null)
  return verdict(previous, {
    sequence: previous.sequence + 1,
    reason:
      'No row has the hash that was noted: rows from here on were removed, or the trail was written anew.',
  })
}

function problemOf(
  row: StoredRow,
  previous: { sequence: number; hash: string },
): AuditVerdict['broken'] | undefined {
  const expected = previous.sequence + 1
  if (row.sequence < expected)
    return { sequence: row.sequence, reason: `Row ${row.sequence} was never written by the platform.` }
  if (row.sequence > expected) return { sequence: expected, reason: `Row ${expected} is missing.` }
  if (hashOf(previous.hash, row) === row.hash) return undefined
  return { sequence: expected, reason: `Row ${expected} was changed after it was written.` }
}

const verdict = (
  { sequence, hash }: { sequence: number; hash: string },
  broken: AuditVerdict['broken'],
): AuditVerdict => ({
  intact: broken === null,
  entries: sequence,
  head: sequence === 0 ? null : hash,
  broken,
})
