import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { expect, it } from 'vitest'
import { openLog } from './open-log.ts'

it('documents that are older than their words are found by words after the next opening', async () => {
  await using database = await testDatabase()
  await openLog(database)
  const ids = Array.from({ length: 2300 }, () => uuidv7())
  await database.many(sql`
    insert into search.documents (id, stream, document)
    select id, 'events-old', jsonb_build_object('payload', jsonb_build_object('name', 'Ada ' || number))
    from unnest(${ids}::uuid[]) with ordinality as old (id, number)`)
  const [log] = await Promise.all([openLog(database), openLog(database)])
  const filter = { text: 'ada 229' }
  expect(await log.find('events-old', { sort: 'asc', limit: 100, filter })).toHaveLength(11)
  expect(await database.many(sql`select 1 from search.documents where words is null`)).toEqual([])
})
