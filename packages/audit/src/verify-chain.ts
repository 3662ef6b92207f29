import type { AuditVerdict } from './audit.ts'
import type { auditStore, StoredRow } from './audit-store.ts'
import { GENESIS, hashOf } from './chain.ts'

const BATCH = 1000

/** Walks the whole chain, a bounded batch at once. */
export async function verifyChain(
  store: Pick<ReturnType<typeof auditStore>, 'listAfter'>,
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
