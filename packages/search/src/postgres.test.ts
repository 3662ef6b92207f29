import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe } from 'vitest'
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
})
