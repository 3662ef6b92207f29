import { sql } from '@platform/database'
import { matchesFilter } from '@platform/expressions'
import { rounds, type TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomOf } from '../../../test/programs.ts'
import { runsDatabase } from '../../../test/testing.ts'
import { changedSchema, emptySchema } from './collection-schema.ts'
import { keysOf } from './keys.ts'
import { compileQuery } from './query-store.ts'

const COLLECTION = '01900000-0000-7000-8000-000000000070'
const QUERIES = rounds(300, 5000)

let database: TestDatabase
beforeAll(async () => {
  database = await runsDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const random = randomOf(68)
const pick = <T>(...options: readonly T[]): T => options[Math.floor(random() * options.length)] as T

const scalar = (): unknown =>
  pick<unknown>(null, true, false, 0, 1, -1.5, 2, '', 'a', 'ab', 'b', '1', '😀', '\uFFFD', 1e21)
function value(depth = 0): unknown {
  const kind = depth > 2 ? 0 : random()
  if (kind < 0.6) return scalar()
  const items = Array.from({ length: Math.floor(random() * 3) }, () => value(depth + 1))
  if (kind < 0.8) return items
  return Object.fromEntries(items.map((item) => [pick('a', 'b', 'c'), item]))
}

const path = () => pick('a', 'b', 'a.b', 'a.b.c', 'c', 'b.a', 'a.0', 'd')
const operators = () =>
  Object.fromEntries([
    pick<() => [string, unknown]>(
      () => [pick('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), scalar()],
      () => [pick('$in', '$nin', '$all'), [scalar(), scalar()]],
      () => ['$exists', pick(true, false)],
      () => ['$size', pick(0, 1, 2)],
      () => ['$not', { [pick('$gt', '$eq', '$exists')]: pick<unknown>(1, 'a', true) }],
      () => ['$regex', pick('a', '^b', '[')],
    )(),
  ])
function query(depth = 0): Record<string, unknown> {
  if (depth < 3 && random() < 0.25) {
    const name = pick('$and', '$or', '$nor', '$not')
    return { [name]: name === '$not' ? query(depth + 1) : [query(depth + 1), query(depth + 1)] }
  }
  return Object.fromEntries(
    Array.from({ length: 1 + Math.floor(random() * 2) }, () => [
      path(),
      random() < 0.4 ? value() : operators(),
    ]),
  )
}

test(`${QUERIES} random queries find all that jsonmatch finds, and nothing else where they say so`, async () => {
  const schema = changedSchema(emptySchema, {
    indexes: [{ properties: ['a'] }, { properties: ['b'] }, { properties: ['a', 'c'] }],
  })
  const records = Array.from({ length: 300 }, (_, n) => ({ id: `r${n}`, a: value(), b: value(), c: value() }))
  const rows = records.map((data) => ({ id: data.id, data, ...keysOf(schema, data) }))
  await database.many(sql`
    insert into runtime.records (collection_id, workspace_id, id, data, size, k1, k2, k3)
    select ${COLLECTION}, 'w', x.id, x.data, 100, x.k1, x.k2, x.k3
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (id text, data jsonb, k1 text, k2 text, k3 text)`)
  let exact = 0
  for (let count = 0; count < QUERIES; count += 1) {
    const asked = query()
    const shown = JSON.stringify(asked)
    const { where, isExact } = compileQuery(asked, schema)
    const found = await database.many<{ id: string }>(
      sql`select r.id from runtime.records r where r.collection_id = ${COLLECTION} and (${where})`,
    )
    let fits: string[]
    try {
      fits = records.filter((one) => matchesFilter(one, asked)).map(({ id }) => id)
    } catch {
      expect(isExact, shown).toBe(false)
      continue
    }
    const ids = new Set(found.map(({ id }) => id))
    expect(
      fits.filter((id) => !ids.has(id)),
      shown,
    ).toEqual([])
    if (isExact) expect([...ids].sort(), shown).toEqual([...fits].sort())
    exact += isExact ? 1 : 0
  }
  expect(exact).toBeGreaterThan(QUERIES / 4)
}, 120_000)
