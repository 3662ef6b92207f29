import { setTimeout as pause } from 'node:timers/promises'
import { type Database, type QueryOptions, type Sql, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { expect, it } from 'vitest'
import type { Filter } from '../filter.ts'
import { analyse } from './analyse.ts'
import { find } from './find.ts'
import { openLog } from './open-log.ts'

/** More than a search looks through before it asks an index. */
const MANY = 12_000

it('what is rare is found wherever it is, in order and page by page', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  const ids = Array.from({ length: MANY }, (_, number) => uuidv7(1_790_000_000_000 + number))
  await database.many(sql`
    insert into search.documents (id, stream, document, words)
    select id, 'events-many', jsonb_build_object('type', 'type' || number % 1000, 'payload',
      jsonb_build_object('number', number, 'rare', number % 2000, 'half', number % 2, 'text', 'word' || number % 3000)),
      array_to_tsvector(array['word' || number % 3000])
    from unnest(${ids}::uuid[]) with ordinality as input (id, number)`)
  const numbers = async (filter: Filter, sort: 'asc' | 'desc', limit: number, page = 0) =>
    (await log.find('events-many', { filter, sort, limit, page })).map(
      ({ payload }) => (payload as { number: number }).number,
    )

  const rare: Filter = { path: 'payload.rare', in: [7] }
  expect(await numbers(rare, 'asc', 10)).toEqual([7, 2007, 4007, 6007, 8007, 10_007])
  expect(await numbers(rare, 'desc', 2)).toEqual([10_007, 8007])
  expect(await numbers(rare, 'desc', 2, 1)).toEqual([6007, 4007])
  expect(await numbers(rare, 'desc', 4, 1)).toEqual([2007, 7])
  expect(await numbers(rare, 'desc', 4, 2)).toEqual([])
  expect(await numbers({ text: 'word2999' }, 'asc', 10)).toEqual([2999, 5999, 8999, 11_999])
  expect(await numbers({ all: [{ path: 'payload.half', in: [1] }, { text: 'word5' }] }, 'asc', 2)).toEqual([
    5, 51,
  ])
  expect(await numbers({ path: 'type', in: ['type3', 'type4'] }, 'asc', 30, 0)).toHaveLength(24)
  expect(await numbers({ all: [{ path: 'type', in: ['type3'] }, rare] }, 'asc', 5)).toEqual([])

  const after = {
    filter: rare,
    sort: 'asc',
    limit: 9,
    afterId: ids[2006] ?? '',
    beforeId: ids[8006] ?? '',
  } as const
  expect(
    (await log.find('events-many', after)).map(({ payload }) => (payload as { number: number }).number),
  ).toEqual([4007, 6007])
})

it('a search has five seconds, however many statements it takes', async () => {
  await using database = await testDatabase()
  await openLog(database)
  const ids = Array.from({ length: MANY }, (_, number) => uuidv7(1_790_000_000_000 + number))
  await database.many(sql`
    insert into search.documents (id, stream, document, words)
    select id, 'events-many', '{"type": "t", "payload": {"common": 1}}', ''::tsvector
    from unnest(${ids}::uuid[]) as id`)
  const granted: number[] = []
  // Notes how long each statement may take, and answers 400 ms later.
  const slow: Database = new Proxy(database, {
    get: (target, name: keyof Database) =>
      name !== 'many'
        ? target[name]
        : async (statement: Sql, options?: QueryOptions) => {
            granted.push(options?.timeoutMs ?? 0)
            const rows = await target.many(statement, options)
            await pause(400)
            return rows
          },
  })
  const filter: Filter = { path: 'payload.rare', in: [7] }
  expect(await find(slow, 'events-many', { filter, sort: 'asc', limit: 5 })).toEqual([])
  const rest = { aggregations: {}, limit: 5, offset: 0, sort: [], countAll: true }
  expect(await analyse(slow, 'events-many', { filter, ...rest })).toMatchObject({ total: 0 })
  expect(granted).toHaveLength(7)
  const used = granted.map((ms) => 5000 - ms)
  for (const [at, before] of [0, 1, 2, 0, 1, 2, 3].entries())
    expect(used[at]).toBeGreaterThanOrEqual(before * 395)
})
