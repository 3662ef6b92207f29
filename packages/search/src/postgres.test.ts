import { sql } from '@platform/database'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { searchConformance } from './conformance.ts'
import { openSearch } from './open.ts'
import type { Search } from './search.ts'

describe('the postgres driver', () => {
  let database: TestDatabase
  let search: Search
  beforeAll(async () => {
    database = await testDatabase()
    search = await openSearch('postgres:', { database })
  })
  afterAll(() => database[Symbol.asyncDispose]())

  searchConformance(() => search)

  test('leaves nothing of a probe behind, also when it dies in the middle', async () => {
    const die = sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    for (let round = 0; round < 20; round += 1) {
      const probing = Array.from({ length: 3 }, () =>
        search.probe(AbortSignal.timeout(2000)).catch(() => undefined),
      )
      await database.many(die).catch(() => undefined)
      await Promise.all(probing)
    }
    const left = () =>
      database.many(sql`select 1 from search.documents where stream like 'readiness-probe-%'`)
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 5000 })
  })
})
