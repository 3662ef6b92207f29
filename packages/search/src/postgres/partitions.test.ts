import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { describe, expect, it } from 'vitest'
import { ensurePartitions, openLog } from './open-log.ts'

describe('partitions of the documents', () => {
  it('take over what the default partition caught, and keep the order of the stream', async () => {
    await using database = await testDatabase()
    const log = await openLog(database)
    const far = Date.UTC(2031, 11, 24)
    const documents = [1, 2].map((number) => ({
      stream: 's',
      id: uuidv7(far + number),
      document: { number },
    }))
    await log.append(documents)
    await Promise.all([1, 2, 3].map(() => ensurePartitions(database, new Date(far))))
    await log.append([{ stream: 's', id: uuidv7(far), document: { number: 3 } }])
    const found = await log.find('s', { sort: 'asc', limit: 10 })
    expect(found.map(({ number }) => number)).toEqual([1, 2, 3])
    const tables = await database.many(
      sql`select distinct tableoid::regclass::text as name from search.documents`,
    )
    expect(tables).toEqual([{ name: 'search.documents_203112' }])
  })
})
