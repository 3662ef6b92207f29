import { type Database, openDatabase, sql } from '@platform/database'
import { lowestUuidv7 } from '@platform/kernel'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { effectWriters } from '../../test/runs.ts'
import { runsDatabase } from '../../test/testing.ts'
import { neededPartitions } from './keep-partitions.ts'
import { partitionStore } from './partition-store.ts'
import { runStore } from './run-store.ts'

let database: TestDatabase
let second: Database

beforeAll(async () => {
  database = await runsDatabase()
  await partitionStore(database).create(...neededPartitions(new Date()))
  second = await openDatabase(database.url, { allowWeakDurability: true })
})
beforeEach(() => database.many(sql`truncate runtime.runs`))
afterAll(async () => {
  await second[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const store = (handle: Database = database) => runStore(handle, effectWriters)

/** Queues `count` runs of a workspace, over the weeks that there are partitions for. */
const queue = (workspaceId: string, count: number, rank = 0) =>
  database.many(sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id,
      input, rank)
    select overlay(gen_random_uuid()::text placing left(
        case n % 3 when 0 then ${lowestUuidv7(Date.now())} when 1 then ${lowestUuidv7(Date.now() - 7 * 86_400_000)}
          else ${lowestUuidv7(Date.now() - 90 * 86_400_000)} end, 13) from 1 for 13)::uuid,
      ${workspaceId}, 'work', 'event', 'x', 'queued', 'corr', '{"payload": {}, "caller": {}, "depth": 0}', ${rank}::int
    from generate_series(1, ${count}) n`)

const claim = (limit: number, after = '', except: readonly string[] = []) =>
  store().claimQueued('w', 10, limit, except, after)

function counted(claimed: readonly { workspaceId: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { workspaceId } of claimed) counts[workspaceId] = (counts[workspaceId] ?? 0) + 1
  return counts
}

/** What a claim reads, in pages; all of it is undone. */
async function pagesRead(limit: number): Promise<number> {
  const undo = new Error('undo')
  let pages = 0
  const reading = database.transaction(async (tx) => {
    const [row] = await tx.many<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(sql`
      explain (analyze, buffers, format json)
      select * from runtime.claim_queued('w', '10 s', ${limit}, '', '{}')`)
    const plan = row?.['QUERY PLAN'][0].Plan
    pages = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
    expect(plan?.['Actual Rows']).toBe(limit)
    throw undo
  })
  await reading.catch((error: unknown) => {
    if (error !== undo) throw error
  })
  return pages
}

/** Of one run and of sixteen; the first claims plan their statements, which reads as well. */
async function pagesOfClaims(): Promise<number[]> {
  await pagesRead(1)
  await pagesRead(16)
  return [await pagesRead(1), await pagesRead(16)]
}

describe('a claim of queued runs', () => {
  test('serves others beside a workspace that has queued many thousands', async () => {
    await queue('busy', 20_000)
    await queue('quiet', 1)
    const claimed = await claim(8)
    expect(counted(claimed)).toEqual({ busy: 4, quiet: 1 })
    expect(counted(await claim(8, 'quiet'))).toEqual({ busy: 8 })
  })

  test('goes on with the workspace after the one that was served last, and round', async () => {
    for (const workspaceId of ['a', 'b', 'c']) await queue(workspaceId, 3)
    const served: (string | undefined)[] = []
    for (let turn = 0; turn < 5; turn += 1)
      served.push((await claim(1, served.at(-1) ?? '')).at(0)?.workspaceId)
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b'])
    expect((await claim(2, 'b')).map(({ workspaceId }) => workspaceId)).toEqual(['c', 'a'])
    expect(counted(await claim(9, 'a', ['b']))).toEqual({ c: 1 })
  })

  test('gives what one workspace leaves over to those after it', async () => {
    await queue('a', 1)
    await queue('b', 50)
    expect(counted(await claim(10))).toEqual({ a: 1, b: 9 })
  })

  test('begins with the smallest rank of a workspace, then with the oldest run', async () => {
    await queue('a', 6)
    await queue('a', 2, -5)
    const queued = await database.many<{ id: string; rank: number }>(sql`select id, rank from runtime.runs`)
    const inOrder = queued.sort((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    expect((await claim(4)).map(({ id }) => id)).toEqual(inOrder.slice(0, 4))
  })

  test('reads as much whatever is queued, known to the planner or not', async () => {
    await queue('a', 10)
    await queue('b', 10)
    const few = await pagesOfClaims()
    await queue('a', 15_000)
    await queue('c', 15_000)
    const many = await pagesOfClaims()
    await database.many(sql`analyze runtime.runs`)
    const known = await pagesOfClaims()
    for (const [one = 0, sixteen = 0] of [many, known]) {
      expect(one).toBeLessThan((few[0] ?? 0) + 60)
      expect(sixteen).toBeLessThan((few[1] ?? 0) + 200)
    }
  })

  test('never takes a run that another claim takes', async () => {
    for (const workspaceId of ['a', 'b', 'c']) await queue(workspaceId, 100)
    const handles = [database, second, database, second]
    const claimed = (
      await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          store(handles[n % 4]).claimQueued(`w${n}`, 10, 8, [], ['', 'a', 'b'][n % 3]),
        ),
      )
    ).flat()
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length)
    expect(claimed.every(({ attempt }) => attempt === 1)).toBe(true)
    expect(claimed.length).toBeGreaterThan(100)
  })

  test('shares the queue with processes of the version before', async () => {
    for (const workspaceId of ['a', 'b']) await queue(workspaceId, 60)
    const claims = Array.from({ length: 30 }, (_, n) =>
      n % 2 === 0 ? claim(8) : second.many<{ id: string; attempt: number }>(claimOfVersionBefore(8)),
    )
    const claimed = (await Promise.all(claims)).flat()
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(120)
    expect(claimed.every(({ attempt }) => attempt === 1)).toBe(true)
  })
})

const claimOfVersionBefore = (limit: number) => sql`
  with due as materialized (
    select id from runtime.runs where status = 'queued' order by id limit ${limit} for update skip locked)
  update runtime.runs r set status = 'running', attempt = r.attempt + 1, worker = 'before', leased_until = now()
  from due where r.id = due.id returning r.id, r.attempt`
