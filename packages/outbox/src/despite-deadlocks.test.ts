import { openBroker, readRecords } from '@platform/broker'
import { sql } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import { buildRecord } from './event-record.ts'
import { despiteDeadlocks, openOutbox } from './outbox.ts'

const SOON = { timeout: 10_000, interval: 10 }
const log = { info: () => {}, warn: () => {}, error: () => {} }
const record = () => buildRecord({ type: 'order.created', payload: {}, source: { workspaceId: 'w' } })

/** Statements that wait for another transaction. */
const waiting = (database: TestDatabase) =>
  database.many(sql`
    select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)

describe('events that meet the same events of another transaction', () => {
  it.each(['commitOnce', 'commit'] as const)('are kept by %s although a deadlock undid it', async (how) => {
    await using database = await testDatabase()
    await using broker = await openBroker('postgres:', { database, log })
    await using outbox = await openOutbox({ database, broker, log })
    const one = record()
    const other = record()
    const [committing] = await database.transaction(async (tx) => {
      // The other one is told of the deadlock.
      await tx.many(sql`set local deadlock_timeout = '60s'`)
      await outbox.addRecords(tx, [other])
      const pending = [outbox[how]([one, other])]
      pending[0]?.catch(() => undefined)
      await vi.waitFor(async () => expect(await waiting(database)).toHaveLength(1), SOON)
      await outbox.addRecords(tx, [one])
      return pending
    })
    const kept = await committing
    if (how === 'commitOnce') expect(kept).toEqual([one, other])
    expect(await readRecords(database, [one.id, other.id])).toHaveLength(2)
  })

  it('are given up after three tries, and at once where it was no deadlock', async () => {
    for (const [code, expected] of [
      ['40001', 3],
      ['40P01', 3],
      ['53300', 1],
    ] as const) {
      let tries = 0
      const work = async () => {
        tries += 1
        throw new StoreError('undone', { unavailable: true, code })
      }
      await expect(despiteDeadlocks(work)).rejects.toThrow('undone')
      expect(tries).toBe(expected)
    }
  })
})
