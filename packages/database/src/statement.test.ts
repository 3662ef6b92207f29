import { expect, inject, it } from 'vitest'
import { openDatabase, raw, sql } from './index.ts'
import { MAX_NAMED, statementName } from './statement.ts'

it('names what is used often, also after any number of others were', () => {
  const often = (text: string) => [1, 2, 3].map(() => statementName(text)).at(-1)
  const first = often('select first')
  expect(first).toBeDefined()
  for (let other = 0; other < 2 * MAX_NAMED; other += 1) expect(often(`select ${other}`)).toBeDefined()
  expect(statementName('select first')).toBeUndefined()
  expect(often('select first')).toBe(first)
  expect(statementName('select seldom')).toBeUndefined()
})

it('leaves no connection with more prepared statements than are in use', async () => {
  await using database = await openDatabase(inject('databaseUrl'), { allowWeakDurability: true, poolSize: 1 })
  let most = 0
  for (let other = 0; other < 3 * MAX_NAMED; other += 1) {
    const text = raw(`select ${other} as a`)
    for (let use = 0; use < 3; use += 1) await database.many(text)
    if (other % 50 > 0) continue
    const [row] = await database.many<{ count: number }>(sql`select count(*) from pg_prepared_statements`)
    most = Math.max(most, row?.count ?? 0)
  }
  expect(most).toBeGreaterThan(MAX_NAMED)
  expect(most).toBeLessThanOrEqual(2 * MAX_NAMED + 1)
})
