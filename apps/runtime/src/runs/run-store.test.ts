import { type Database, one, openDatabase, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effectWriters } from '../../test/runs.ts'
import { emittedEvent, runsDatabase } from '../../test/testing.ts'
import type { QueuedRun } from '../automations/model.ts'
import { neededPartitions } from './keep-partitions.ts'
import { partitionStore } from './partition-store.ts'
import { groupCommits, runStore as openRunStore } from './run-store.ts'

let database: TestDatabase
let second: Database

beforeAll(async () => {
  database = await runsDatabase()
  second = await openDatabase(database.url, { allowWeakDurability: true })
})
afterAll(async () => {
  await second[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const runStore = (handle: Database) => openRunStore(handle, effectWriters)

const queued = (workspaceId: string): QueuedRun => ({
  id: uuidv7(),
  workspaceId,
  automationSlug: 'work',
  trigger: { type: 'event', value: 'x' },
  correlationId: 'corr',
  input: { payload: { a: 1 }, caller: {}, depth: 3 },
})
const over = { gone: [], expired: true }
const nothing = { events: [], queued: [], patches: [] }
const succeeded = { status: 'succeeded', durationMs: 1, error: undefined } as const

describe('the queue of runs', () => {
  test('gives each run to one worker', async () => {
    const runs = Array.from({ length: 50 }, () => queued('claims'))
    await runStore(database).enqueue([...runs, ...runs])
    const claims = await Promise.all(
      [database, second, database, second].map((handle, index) =>
        runStore(handle).claimQueued(`w${index}`, 10, 20),
      ),
    )
    const ids = claims.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(50)
    expect(ids).toHaveLength(50)
    expect(claims.flat()[0]).toMatchObject({ attempt: 1, input: { payload: { a: 1 }, depth: 3 } })
  })

  test('a worker that lost its lease writes nothing', async () => {
    const store = runStore(database)
    const commits = groupCommits(store)
    const run = queued('fenced')
    await store.enqueue([run])
    const [slow] = await store.claimQueued('slow', 0, 1)
    const [fast] = await runStore(second).claimAbandoned('fast', 10, 1, over)
    expect([slow?.attempt, fast?.attempt]).toEqual([1, 2])

    const lost = await store.extendLeases('slow', [{ id: run.id, attempt: 1 }], 10)
    expect(lost).toEqual([{ id: run.id, attempt: 1, isLost: true, cancellation: null }])
    const late = { ...nothing, events: [emittedEvent('fenced', 'late')] }
    const done = { ...nothing, events: [emittedEvent('fenced', 'done')] }
    const [first, latest] = await Promise.all([
      commits.writeClaimed({ claim: { id: run.id, attempt: 1 }, effects: late, end: succeeded }),
      commits.writeClaimed({ claim: { id: run.id, attempt: 2 }, effects: done, end: succeeded }),
    ])
    expect([first, latest]).toEqual([false, true])
    const events = await database.many<{ type: string }>(
      sql`select type from outbox.events where workspace_id = 'fenced'`,
    )
    expect(events).toEqual([{ type: 'done' }])
  })

  test('a run that has ended can not be ended again', async () => {
    const store = runStore(database)
    const run = queued('ended')
    await store.enqueue([run])
    await store.claimQueued('w', 10, 1)
    const work = { claim: { id: run.id, attempt: 1 }, effects: nothing, end: succeeded }
    expect(await store.writeClaimed([work])).toEqual([work])
    expect(
      await store.writeClaimed([{ ...work, effects: { ...nothing, events: [emittedEvent('ended', 'x')] } }]),
    ).toEqual([])
    expect(await database.many(sql`select 1 from outbox.events where workspace_id = 'ended'`)).toEqual([])
  })

  test('leaves out workspaces that have enough', async () => {
    const store = runStore(database)
    await store.enqueue([queued('greedy'), queued('greedy'), queued('modest')])
    expect((await store.claimQueued('w', 10, 10, ['greedy'])).map(({ workspaceId }) => workspaceId)).toEqual([
      'modest',
    ])
    expect(await store.claimQueued('w', 10, 10)).toHaveLength(2)
  })

  test('a run is given back by those who leave', async () => {
    const store = runStore(database)
    const run = queued('released')
    await store.enqueue([run])
    await store.claimQueued('w', 10, 1)
    await store.release([{ id: run.id, attempt: 1 }])
    expect(await store.claimQueued('v', 0, 1)).toMatchObject([{ id: run.id, attempt: 2, crashCount: 0 }])
    expect(await store.claimAbandoned('u', 10, 1, over)).toMatchObject([
      { id: run.id, attempt: 3, crashCount: 1 },
    ])
  })

  test('a run is taken from a worker that is gone, long before its lease is over', async () => {
    const store = runStore(database)
    await store.enqueue([queued('gone'), queued('gone')])
    const [mine] = await store.claimQueued('4711', 60, 1)
    const [other] = await store.claimQueued('unseen', 60, 1)
    if (mine === undefined || other === undefined) throw new Error('There must be two runs.')
    expect(await store.listHolders()).toContain(4711)
    const expired = await store.claimAbandoned('w', 60, 50, over)
    expect(expired.map(({ id }) => id)).not.toEqual(expect.arrayContaining([mine.id]))
    const taken = await store.claimAbandoned('w', 60, 5, { gone: [4711], expired: false })
    expect(taken).toMatchObject([{ id: mine.id, attempt: 2, crashCount: 1 }])
    expect(await store.extendLeases('4711', [{ id: mine.id, attempt: 1 }], 10)).toMatchObject([
      { id: mine.id, isLost: true },
    ])
    expect(await store.listHolders()).not.toContain(4711)
    await store.extendLeases('4712', [{ id: other.id, attempt: 1 }], 60)
    expect(await store.listHolders()).toContain(4712)
  })
})

describe('the partitions of runs', () => {
  test('are made ahead by any number of instances, and take what went astray', async () => {
    const stray = queued('stray')
    await runStore(database).enqueue([stray])
    const needed = neededPartitions(new Date())
    await Promise.all(
      [database, second].flatMap((handle) => needed.map((one) => partitionStore(handle).create(one))),
    )
    const names = await partitionStore(database).list()
    for (const { name } of needed) expect(names).toContain(name)
    expect(await database.many(sql`select 1 from runtime.runs_default`)).toEqual([])
    expect(await database.many(sql`select 1 from runtime.runs where id = ${stray.id}`)).toHaveLength(1)
  })

  test('are kept while something in them is to be done', async () => {
    const [oldest] = neededPartitions(new Date(Date.now() - 90 * 86_400_000))
    if (oldest === undefined) throw new Error('There must be a partition.')
    const partitions = partitionStore(database)
    await partitions.create(oldest)
    const run = { ...queued('old'), id: uuidv7(Date.now() - 97 * 86_400_000) }
    await runStore(database).enqueue([run])
    expect(await partitions.dropUnlessBusy(oldest)).toBe(false)
    await database.many(sql`update runtime.runs set status = 'succeeded' where id = ${run.id}`)
    expect(await partitions.dropUnlessBusy(oldest)).toBe(true)
  })

  test('are kept when a run comes in while they are being dropped', async () => {
    const [oldest] = neededPartitions(new Date(Date.now() - 120 * 86_400_000))
    if (oldest === undefined) throw new Error('There must be a partition.')
    await partitionStore(database).create(oldest)
    const run = { ...queued('late'), id: uuidv7(Date.now() - 127 * 86_400_000) }
    let dropping: Promise<boolean> | undefined
    await second.transaction(async (tx) => {
      await tx.many(sql`
        insert into runtime.runs (
          id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id)
        values (${run.id}, 'late', 'work', 'event', 'x', 'queued', 'corr')`)
      dropping = partitionStore(database).dropUnlessBusy(oldest)
      await Promise.race([dropping, new Promise((resolve) => setTimeout(resolve, 200))])
    })
    expect(await dropping).toBe(false)
    expect(await database.many(sql`select 1 from runtime.runs where id = ${run.id}`)).toHaveLength(1)
  })
})

/** More executions than it takes PostgreSQL to keep a plan, which is made while the table is empty. */
const RUNS = 30

test('claimed runs are found by their ids alone, also where plans are older than the runs', async () => {
  await using empty = await runsDatabase()
  const read = await empty.transaction(async (tx) => {
    const store = runStore({ ...empty, many: tx.many, notify: tx.notify })
    for (let count = 0; count < RUNS; count += 1) {
      const run = queued('kept-plans')
      await store.enqueue([run])
      await store.claimOne('worker', 10, run.id)
      await store.release([{ id: run.id, attempt: 1 }])
      await store.claimOne('worker', 10, run.id)
      const claim = { id: run.id, attempt: 2 }
      expect(await store.extendLeases('worker', [claim], 10)).toEqual([])
      const taken = sql`select runtime.take_slot(${run.id}, 1, ${run.id}, 2, false) as said`
      expect(await tx.many(taken)).toEqual([{ said: 'taken' }])
      expect(await store.writeClaimed([{ claim, effects: nothing, end: undefined }])).toHaveLength(1)
      expect(await store.writeClaimed([{ claim, effects: nothing, end: succeeded }])).toHaveLength(1)
      const calm = queued('kept-plans')
      await store.enqueue([calm])
      await store.claimOne('worker', 10, calm.id)
      const held = sql`
        select runtime.debounce_run(
          ${calm.id}, ${calm.id}, 1, interval '1 second', interval '1 minute', '{}') as said`
      expect(await tx.many(held)).toEqual([{ said: 'held' }])
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
  await using empty = await runsDatabase()
  await using alone = await openDatabase(empty.url, { poolSize: 1, allowWeakDurability: true })
  const store = runStore(alone)
  const runs = Array.from({ length: 5000 }, () => queued('held'))
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
async function entriesRead(handle: Database): Promise<number> {
  await handle.many(sql`select pg_stat_force_next_flush()`)
  const { count } = await one<{ count: number }>(
    handle,
    sql`
      select sum(pg_stat_get_tuples_returned(i.inhrelid))::int as count from pg_inherits i
      where i.inhparent = 'runtime.runs_leased'::regclass`,
  )
  return count
}
