import { type Database, one, openDatabase, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { expect, test } from 'vitest'
import { runsDatabase } from '../../test/testing.ts'
import type { QueuedRun } from '../automations/model.ts'
import { upsertPatches } from '../contexts/context-store.ts'
import { runStore } from './run-store.ts'

/** More executions than it takes PostgreSQL to keep a plan, which is made while the table is empty. */
const RUNS = 30

const queued = (): QueuedRun => ({
  id: uuidv7(),
  workspaceId: 'kept-plans',
  automationSlug: 'work',
  trigger: { type: 'event', value: 'x' },
  correlationId: 'corr',
  input: { payload: {}, caller: {}, depth: 0 },
})
const nothing = { events: [], queued: [], patches: [] }
const succeeded = { status: 'succeeded', durationMs: 1, error: undefined } as const

test('claimed runs are found by their ids alone, also where plans are older than the runs', async () => {
  await using database = await runsDatabase()
  const read = await database.transaction(async (tx) => {
    const store = runStore({ ...database, many: tx.many, notify: tx.notify }, upsertPatches)
    for (let count = 0; count < RUNS; count += 1) {
      const run = queued()
      await store.enqueue([run])
      await store.claimOne('worker', 10, run.id)
      await store.release([{ id: run.id, attempt: 1 }])
      await store.claimOne('worker', 10, run.id)
      const claim = { id: run.id, attempt: 2 }
      expect(await store.extendLeases('worker', [claim], 10)).toEqual([])
      expect(await store.writeClaimed([{ claim, effects: nothing, end: undefined }])).toHaveLength(1)
      expect(await store.writeClaimed([{ claim, effects: nothing, end: succeeded }])).toHaveLength(1)
    }
    return await tx.many(sql`
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'runtime.runs'::regclass and pg_stat_get_xact_numscans(c.oid) > 0
      union all
      select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'runtime.runs_leased'::regclass and pg_stat_get_xact_tuples_returned(c.oid) > 0`)
  })
  expect(read).toEqual([])
})

test('who holds runs is found without those that have ended, however long no vacuum came', async () => {
  await using database = await runsDatabase()
  await using alone = await openDatabase(database.url, { poolSize: 1, allowWeakDurability: true })
  const store = runStore(alone, upsertPatches)
  const runs = Array.from({ length: 5000 }, queued)
  await store.enqueue(runs)
  await alone.many(sql`
    update runtime.runs
    set status = 'running', attempt = 1, worker = '4711', leased_until = now() + interval '1 minute'`)
  const claims = runs.map(({ id }) => ({ id, attempt: 1 }))
  await store.writeClaimed(claims.slice(1).map((claim) => ({ claim, effects: nothing, end: succeeded })))
  // Entries are marked by who passes them first.
  expect(await store.listHolders()).toEqual([4711])
  const before = await entriesRead(alone)
  expect(await store.listHolders()).toEqual([4711])
  expect((await entriesRead(alone)) - before).toBeLessThan(runs.length / 10)
})

/** How many entries of `runs_leased` were read so far, by this connection and those that have told. */
async function entriesRead(database: Database): Promise<number> {
  await database.many(sql`select pg_stat_force_next_flush()`)
  const { count } = await one<{ count: number }>(
    database,
    sql`
      select sum(pg_stat_get_tuples_returned(i.inhrelid))::int as count from pg_inherits i
      where i.inhparent = 'runtime.runs_leased'::regclass`,
  )
  return count
}
