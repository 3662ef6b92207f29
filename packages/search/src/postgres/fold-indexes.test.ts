import { openDatabase, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { expect, test } from 'vitest'
import { append } from './append.ts'
import { IndexFolding } from './fold-indexes.ts'
import { openLog } from './open-log.ts'
import { Vocabularies } from './vocabularies.ts'

const documents = (count: number) =>
  Array.from({ length: count }, (_, number) => {
    const id = uuidv7()
    return { stream: 'events-a', id, document: { id, type: 'a.b', payload: { number, word: `w${number}` } } }
  })

test('what is appended is put into its place in the indexes by another connection, and found meanwhile', async () => {
  await using database = await testDatabase()
  await using watcher = await openDatabase(database.url, { allowWeakDurability: true })
  await using log = await openLog(database)
  await using folding = new IndexFolding(database)
  const unfolded = async () => {
    const [row] = await watcher.many<{ pages: number }>(sql`
      select sum(gin_clean_pending_list(pg_index.indexrelid))::int as pages
      from pg_inherits
      join pg_index on pg_index.indrelid = pg_inherits.inhrelid
      join pg_class on pg_class.oid = pg_index.indexrelid
      join pg_am on pg_am.oid = pg_class.relam and pg_am.amname = 'gin'
      where pg_inherits.inhparent = 'search.documents'::regclass`)
    return row?.pages
  }
  const parts = { vocabularies: new Vocabularies(), select: () => sql`` }
  await append(database, documents(300), parts)
  expect(await unfolded()).toBeGreaterThan(0)

  await append(database, documents(300), parts)
  const found = await log.find('events-a', { filter: { text: 'w299' }, sort: 'desc', limit: 10 })
  expect(found).toHaveLength(2)
  await folding.ask()
  expect(await unfolded()).toBe(0)
})
