import { type Database, openDatabase, type Queries, raw, type Sql, sql } from '@platform/database'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runsDatabase } from '../../../test/testing.ts'
import { type CollectionSchema, changedSchema, emptySchema } from './collection-schema.ts'
import { findAlone, findByKeys } from './entering-store.ts'
import { keysOf } from './keys.ts'
import { byId, compileQuery } from './query-store.ts'

const COLLECTION = '01900000-0000-7000-8000-000000000068'
const WORKSPACE = 'w0123456789abcde'
const schema: CollectionSchema = changedSchema(
  {
    ...emptySchema,
    properties: { email: { type: 'string' }, age: { type: 'number' }, state: { type: 'string' } },
  },
  {
    indexes: [{ properties: ['age'] }, { properties: ['state', 'kind'] }, { properties: ['any'] }],
    uniques: [{ properties: ['email'] }],
  },
)

let database: TestDatabase
beforeAll(async () => {
  database = await runsDatabase()
  for (const collection of [COLLECTION, '01900000-0000-7000-8000-000000000069']) {
    const rows = Array.from({ length: 20_000 }, (_, n) => {
      const data = {
        id: `r${n}`,
        email: `a${n}@example.com`,
        age: n / 10,
        state: `s${n % 50}`,
        kind: n % 7,
        any: n,
      }
      return { id: data.id, data, ...keysOf(schema, data) }
    })
    await database.many(
      sql`
        insert into runtime.records (collection_id, workspace_id, id, data, size, k1, k2, k3, u1)
        select ${collection}, ${WORKSPACE}, x.id, x.data, 100, x.k1, x.k2, x.k3, x.u1
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as x (id text, data jsonb, k1 text, k2 text, k3 text, u1 text)`,
      { timeoutMs: 20_000 },
    )
  }
  await database.many(raw('analyze runtime.records'))
}, 60_000)
afterAll(() => database[Symbol.asyncDispose]())

/** The plan as it is made for what a module asks, in the role it asks as. */
async function planOf(query: Record<string, unknown>): Promise<{ plan: string; rows: number }> {
  const { where } = compileQuery(query, schema)
  const rows = await database.transaction(async (tx) => {
    await tx.many(
      sql`
        select set_config('platform.workspace', ${WORKSPACE}, true),
          set_config('role', 'platform_collections', true)`,
    )
    return await tx.many<{ 'QUERY PLAN': string }>(sql`
      explain (analyze, costs off, timing off, summary off) select r.data from runtime.records r
      where r.workspace_id = ${WORKSPACE} and r.collection_id = ${COLLECTION} and (${where})`)
  })
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  return { plan, rows: Number(/actual rows=([\d.]+)/.exec(plan)?.[1]) }
}

test.each([
  [{ id: 'r77' }, 'records_pkey', 1],
  [{ email: 'a77@example.com' }, 'records_u1', 1],
  [{ email: { $in: ['a1@example.com', 'a2@example.com'] } }, 'records_u1', 2],
  [{ age: 7.7 }, 'records_k1', 1],
  [{ age: { $gte: 100, $lt: 101 } }, 'records_k1', 10],
  [{ age: { $lt: 0.5 } }, 'records_k1', 5],
  [{ state: 's1', kind: 1 }, 'records_k2', 58],
  [{ any: 77 }, 'records_k3', 1],
  [{ $and: [{ any: 77 }], name: { $ne: 'x' } }, 'records_k3', 1],
])('%j is found by its index, beside the policy of the rows', async (query, index, count) => {
  const { plan, rows } = await planOf(query)
  expect(plan).toContain(index)
  expect(plan).not.toContain('Seq Scan')
  expect(rows).toBe(count)
})

describe('a read in one statement enters its workspace first, and uses the index', () => {
  const collection = { id: COLLECTION, workspaceId: WORKSPACE, name: 'a', schema, version: 1, records: 0 }
  beforeAll(() =>
    database.many(sql`
      insert into runtime.collections (id, workspace_id, name, schema)
      values (${COLLECTION}, ${WORKSPACE}, 'a', ${JSON.stringify(schema)})`),
  )

  /** The plan of the one statement that is asked. */
  async function planOfOne(ask: (queries: Database) => Promise<unknown>): Promise<string> {
    let plan = ''
    const explaining: Pick<Queries, 'many'> = {
      async many<Row>(statement: Sql) {
        const rows = await database.many<{ 'QUERY PLAN': string }>(
          sql`explain (analyze, timing off) ${statement}`,
        )
        plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        return [{ version: 1, data: null, size: 0 }] as Row[]
      },
    }
    await ask({ ...database, ...explaining })
    return plan
  }
  function expectEnteredFirst(plan: string): void {
    expect(plan).toContain('records_u1')
    expect(plan).not.toContain('Seq Scan')
    expect(plan.indexOf('CTE Scan on entered')).toBeGreaterThan(0)
    expect(plan.indexOf('CTE Scan on entered')).toBeLessThan(plan.indexOf('records_u1'))
  }

  test('of a page of what fits', async () => {
    const { where } = compileQuery({ email: 'a77@example.com' }, schema)
    const page = { order: byId, limit: 1, offset: 0 }
    expect(await findAlone(database, collection, where, page)).toMatchObject([{ data: { id: 'r77' } }])
    expectEnteredFirst(await planOfOne((queries) => findAlone(queries, collection, where, page)))
  })

  test('of records by their keys', async () => {
    const keys = ['sa77@example.com', 'none', 'sa3@example.com']
    const found = await findByKeys(database, collection, 'u1', keys)
    expect(found).toMatchObject([{ id: 'r77' }, undefined, { id: 'r3' }])
    expectEnteredFirst(await planOfOne((queries) => findByKeys(queries, collection, 'u1', keys)))
  })

  test('and the plan for keys is kept, however many they are', async () => {
    await using alone = await openDatabase(database.url, { poolSize: 1, allowWeakDurability: true })
    for (let count = 1; count <= 16; count += 1) {
      const keys = Array.from({ length: (count % 10) + 1 }, (_, n) => `sa${n}@example.com`)
      await findByKeys(alone, collection, 'u1', keys)
    }
    const [plans] = await alone.many<{ generic: number; custom: number }>(sql`
      select generic_plans as generic, custom_plans as custom from pg_prepared_statements
      where statement like '%asked.place%'`)
    // The first five are made for their values, as PostgreSQL always does.
    expect(plans?.custom).toBe(5)
    expect(plans?.generic).toBeGreaterThan(5)
  })
})
