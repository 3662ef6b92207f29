import { sql } from '@platform/database'
import { describe, expect, it } from 'vitest'
import { templateDatabase, testDatabase } from './postgres-server.ts'

describe('the test server', () => {
  it('makes a template once, however many ask at the same time, and copies it', async () => {
    let prepared = 0
    const prepare = async (database: { many: (statement: ReturnType<typeof sql>) => Promise<unknown> }) => {
      prepared += 1
      await database.many(sql`create table things (name text)`)
    }
    const names = await Promise.all([1, 2, 3].map(() => templateDatabase('things', prepare)))
    expect(new Set(names).size).toBe(1)
    expect(prepared).toBe(1)

    const startedAt = performance.now()
    await using first = await testDatabase(names[0])
    const cloneMs = performance.now() - startedAt
    await using second = await testDatabase(names[0])
    await first.many(sql`insert into things values ('only in the first')`)
    expect(await second.many(sql`select * from things`)).toEqual([])
    expect(cloneMs).toBePrompt(2000)
    console.info(`cloned a template in ${Math.round(cloneMs)} ms`)
  })
})
