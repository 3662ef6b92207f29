import type { AuditEntry as AuditRow } from '@platform/contracts'
import { type Database, groupCommit, type Migrations, migrate, type Queries } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Audit, AuditEntry } from './audit.ts'
import { auditStore } from './audit-store.ts'
import { GENESIS, hashOf, type StoredRow, verifyChain } from './chain.ts'

/** The trail. */
export const auditMigrations: Migrations = {
  schema: 'audit',
  directory: new URL('../migrations/', import.meta.url),
}

/** Opens the trail kept in `database`, migrating schema `audit` when this process is the first to start. */
export async function openAudit({ database, clock }: { database: Database; clock: Clock }): Promise<Audit> {
  await migrate(database, auditMigrations)
  const record = (tx: Queries, ...entries: AuditEntry[]) => append(tx, entries, clock)
  // Those who guess passwords decide how many notes there are: notes share transactions.
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
  let sequence = newest?.sequence ?? 0
  let hash = newest?.hash ?? GENESIS
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
  actor: storableText(actor),
  subject: storableText(subject),
  ip: ip === undefined ? null : storableText(ip),
  correlationId: correlationId === undefined ? null : storableText(correlationId),
  details: canonicalJson(details ?? {}),
})

const present = (row: StoredRow): AuditRow => ({
  ...row,
  action: row.action as AuditRow['action'],
  at: row.at.toISOString(),
  details: JSON.parse(row.details) as Record<string, unknown>,
})

/** Longest text of a name; longer ones would not fit into an index. */
const MAX_CHARACTERS = 300

/**
 * Text as the database gives it back: what it would replace or refuse, halves of surrogate pairs and NUL characters,
 * is replaced before it is hashed. Else a stranger's name could make an honest row look changed.
 */
const storableText = (text: string): string =>
  text.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll('\0', '\uFFFD')

/**
 * JSON whose keys are in order at every depth, so that equal details are equal texts. Its text is ASCII where
 * PostgreSQL needs it.
 */
const canonicalJson = (value: Record<string, unknown>): string => JSON.stringify(value, inOrder)

const inOrder = (_: string, value: unknown): unknown => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
