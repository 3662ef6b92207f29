import type { EventRecord } from '@platform/contracts'
import { type Database, migrate, one, type Queries, raw, sql } from '@platform/database'
import { DAY_MS, uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import { testEvent } from '../test/events.ts'
import { insertEvents, LOG_START, loadCursor, readLog, storeCursor } from './event-log.ts'
import { outboxMigrations } from './open.ts'
import { dropOldPartitions, ensurePartitions } from './partitions.ts'
import { adoptRestoredLog } from './restored-log.ts'

const SOON = { timeout: 10_000, interval: 10 }
const NOW = new Date('2026-03-10T12:00:00Z')
const daysLater = (days: number) => new Date(NOW.getTime() + days * DAY_MS)

async function openLog() {
  const database = await testDatabase()
  await migrate(database, outboxMigrations)
  return database
}

const eventOf = (at: Date): EventRecord => ({ ...testEvent('w'), id: uuidv7(at.getTime()) })
const add = (database: Database, events: EventRecord[]) => database.many(insertEvents(events, () => false))

/** All that is in the log; a transaction of any other test on the same server may hold it back for a moment. */
const readAll = (database: Database, count: number, after = LOG_START) =>
  vi.waitFor(async () => {
    const { events } = await readLog(database, after, 1000)
    expect(events).toHaveLength(count)
    return events
  }, SOON)
const idsOf = (events: { id: string }[]) => events.map(({ id }) => id)

async function partitionOf(database: Database, { id }: EventRecord): Promise<string | undefined> {
  const [row] = await database.many<{ name: string }>(
    sql`select tableoid::regclass::text as name from outbox.events where id = ${id}::uuid`,
  )
  return row?.name
}

describe('partitions of the log', () => {
  it('are there for yesterday, today and three days, however many processes make them', async () => {
    await using database = await openLog()
    await Promise.all([1, 2, 3].map(() => ensurePartitions(database, NOW)))
    const event = eventOf(daysLater(3))
    await add(database, [event, eventOf(daysLater(-1))])
    expect(await partitionOf(database, event)).toBe('outbox.events_20260313')
  })

  it('take over what the default partition caught', async () => {
    await using database = await openLog()
    const early = eventOf(NOW)
    const late = eventOf(daysLater(40))
    await add(database, [early, late])
    expect(await partitionOf(database, early)).toBe('outbox.events_default')
    await ensurePartitions(database, NOW)
    expect(await partitionOf(database, early)).toBe('outbox.events_20260310')
    expect(await partitionOf(database, late)).toBe('outbox.events_default')
    expect(idsOf(await readAll(database, 2))).toEqual([early.id, late.id])
  })

  it('are dropped when they are older than the retention and behind every reader', async () => {
    await using database = await openLog()
    await ensurePartitions(database, NOW)
    const old = eventOf(NOW)
    const stray = eventOf(daysLater(-30))
    const young = eventOf(daysLater(3))
    await add(database, [old, stray, young])
    await loadCursor(database, 'slow')
    await loadCursor(database, 'fast')
    const [, , last] = await readAll(database, 3)
    if (last === undefined) throw new Error('There must be events.')
    await storeCursor(database, 'fast', last)

    expect(await dropOldPartitions(database, daysLater(4), 72)).toEqual(['events_20260309'])
    expect(idsOf(await readAll(database, 3))).toEqual([old.id, stray.id, young.id])
    await storeCursor(database, 'slow', last)
    expect(await dropOldPartitions(database, daysLater(3.4), 72)).toEqual([])
    expect(await dropOldPartitions(database, daysLater(4), 72)).toEqual(['events_20260310'])
    expect(idsOf(await readAll(database, 1))).toEqual([young.id])
  })
})

describe('reading the log', () => {
  it('uses the order index of each partition, however little it knows about them', async () => {
    await using database = await openLog()
    await ensurePartitions(database, NOW)
    await add(
      database,
      Array.from({ length: 2000 }, (_, index) => eventOf(daysLater(index % 4))),
    )
    await database.transaction(async (tx) => {
      const before = await scansOf(tx)
      await readLog(tx, LOG_START, 10)
      const after = await scansOf(tx)
      expect(after.sequential).toBe(before.sequential)
      expect(after.byIndex).toBeGreaterThan(before.byIndex)
    })
  })

  it('never moves a cursor back', async () => {
    await using database = await openLog()
    await loadCursor(database, 'reader')
    await storeCursor(database, 'reader', { xid: '900', position: 7 })
    await storeCursor(database, 'reader', { xid: '900', position: 6 })
    await storeCursor(database, 'reader', { xid: '89', position: 9 })
    expect(await loadCursor(database, 'reader')).toEqual({ xid: '900', position: 7 })
  })

  it('begins again when the log was restored into a server that counts from the start', async () => {
    await using database = await openLog()
    await ensurePartitions(database, NOW)
    const old = eventOf(NOW)
    const unread = eventOf(NOW)
    await add(database, [old, unread])
    await database.many(raw(`update outbox.events set xid = '9000000000'`))
    await loadCursor(database, 'reader')
    await database.many(raw(`update outbox.consumers set xid = '9000000000', position = 1`))
    const fresh = eventOf(NOW)
    await add(database, [fresh])

    expect(await adoptRestoredLog(database)).toBe(true)
    const cursor = await loadCursor(database, 'reader')
    expect(idsOf(await readAll(database, 3, cursor))).toEqual([old.id, unread.id, fresh.id])
    expect(await adoptRestoredLog(database)).toBe(false)
  })
})

/** How often the tables of the log were read one way or the other, as this transaction knows it. */
const scansOf = (tx: Queries) =>
  one<{ sequential: number; byIndex: number }>(
    tx,
    sql`
      select sum(seq_scan)::int as sequential, sum(idx_scan)::int as "byIndex"
      from pg_stat_xact_user_tables where schemaname = 'outbox' and relname like 'events%'`,
  )
