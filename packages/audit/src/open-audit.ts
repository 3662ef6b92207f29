import type { AuditEntry as AuditRow } from '@platform/contracts'
import { type Database, groupCommit, migrate, type Queries } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Audit, AuditEntry } from './audit.ts'
import { auditStore, type StoredRow } from './audit-store.ts'
import { GENESIS, hashOf } from './chain.ts'
import { canonicalJson, keptText } from './kept-text.ts'
import { verifyChain } from './verify-chain.ts'

/** Opens the trail kept in `database`, migrating schema `audit` when this process is the first to start. */
export async function openAudit({ database, clock }: { database: Database; clock: Clock }): Promise<Audit> {
  await migrate(database, 'audit', new URL('../migrations/', import.meta.url))
  const record = (tx: Queries, ...entries: AuditEntry[]) => append(tx, entries, clock)
  // Whoever guesses passwords decides how many notes there are: they share transactions.
  const notes = groupCommit<AuditEntry[]>(
    (items) => database.transaction((tx) => record(tx, ...items.flat())),
    { maxInFlight: 1 },
  )
  return {
    record,
    note: (...entries) => notes.add(entries),
    list: async (filter) => (await auditStore(database).list(filter)).map(present),
    verify: (head) => verifyChain(auditStore(database), head),
  }
}

async function append(tx: Queries, entries: readonly AuditEntry[], clock: Clock): Promise<void> {
  if (entries.length === 0) return
  const store = auditStore(tx)
  await store.lock()
  const newest = await store.newest()
  let [sequence, hash] = [newest?.sequence ?? 0, newest?.hash ?? GENESIS]
  // Read behind the lock, so that times follow the order of the rows.
  const at = clock.now()
  const rows = entries.map((entry): StoredRow => {
    sequence += 1
    const row = { sequence, at, ...plain(entry) }
    hash = hashOf(hash, row)
    return { ...row, hash }
  })
  await store.insert(rows)
}

const plain = ({ action, actor, subject, ip, correlationId, details }: AuditEntry) => ({
  action,
  actor: keptText(actor),
  subject: keptText(subject),
  ip: ip === undefined ? null : keptText(ip),
  correlationId: correlationId === undefined ? null : keptText(correlationId),
  details: canonicalJson(details ?? {}),
})

const present = (row: StoredRow): AuditRow => ({
  ...row,
  action: row.action as AuditRow['action'],
  at: row.at.toISOString(),
  details: JSON.parse(row.details) as Record<string, unknown>,
})
