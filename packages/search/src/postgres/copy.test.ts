import { type Database, sql, vectorArray } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { expect, it, vi } from 'vitest'
import { openLog } from './open-log.ts'
import { type MadeWords, WordMaker } from './word-maker.ts'

const STREAM = 'events-a'

const orderOf = (number: number) => ({
  id: uuidv7(),
  type: 'order.placed',
  source: { workspaceId: 'a', automationSlug: 'order' },
  payload: {
    number,
    sentence: 'the order has been paid by somebody whose name nobody has ever heard before',
    currency: 'EUR',
    by: { name: 'Ada', city: 'London', country: 'England' },
  },
  createdAt: new Date().toISOString(),
})
type Order = ReturnType<typeof orderOf>

/** A log, and a table beside it that documents are copied from. */
async function copying(database: Database) {
  const log = await openLog(
    database,
    (ids) => sql`
      select asked.place, kept.id, kept.record, kept.words, kept.vocabulary
      from unnest(${ids}::uuid[]) with ordinality as asked (id, place) join kept using (id)`,
  )
  await database.many(
    sql`create table kept (id uuid primary key, record json, words tsvector, vocabulary uuid)`,
  )
  const keep = async (orders: readonly Order[], words: readonly (MadeWords | undefined)[] = []) => {
    await database.many(sql`
      insert into kept select * from unnest(${orders.map(({ id }) => id)}::uuid[],
        ${orders.map((order) => JSON.stringify(order))}::json[],
        ${vectorArray(orders.map((_, at) => words[at]?.own))}::tsvector[],
        ${orders.map((_, at) => words[at]?.vocabulary)}::uuid[])`)
    return orders.map(({ id }) => ({ stream: STREAM, id }))
  }
  const find = (text: string) => log.find(STREAM, { filter: { text }, sort: 'asc', limit: 200 })
  return { log, keep, find }
}

const asDocument = (order: Order) => ({ stream: STREAM, id: order.id, document: order })

it('documents are copied with their words, and come between others in their order', async () => {
  await using database = await testDatabase()
  const { log, keep, find } = await copying(database)
  const maker = new WordMaker(database)
  const orders = Array.from({ length: 100 }, (_, number) => orderOf(number))
  // The vocabulary is stored meanwhile.
  for (const order of orders.slice(0, 40)) maker.wordsOf(asDocument(order))
  await vi.waitFor(() => expect(maker.wordsOf(asDocument(orderOf(0))).vocabulary).toBeDefined())
  const copied = await keep(
    orders,
    orders.map((order) => maker.wordsOf(asDocument(order))),
  )
  const sent = orders.map((_, number) => orderOf(100 + number))
  await log.append(copied.flatMap((one, number) => [one, asDocument(sent[number] as Order)]))

  const all = orders.flatMap((order, number) => [order, sent[number]])
  const appended = await log.readAfter(0, 300)
  expect(appended.map(({ document }) => document)).toEqual(all)
  expect(await find('nobody has ever')).toHaveLength(200)
  expect(await find('ada 77')).toEqual([orders[77]])
  const named = await database.many(sql`select 1 from search.documents where vocabulary is not null`)
  // The log has learned the vocabulary from 32 of its own.
  expect(named).toHaveLength(100 + 100 - 31)
})

it('what is there already stays as it is, and what is not there is appended by nobody', async () => {
  await using database = await testDatabase()
  const { log, keep, find } = await copying(database)
  const [first, second] = [orderOf(1), orderOf(2)]
  const copied = await keep([first, second])
  await log.append(copied.slice(0, 1))
  await log.append(copied)
  expect(await find('paid')).toEqual([first, second])

  const [missing, third] = [{ stream: STREAM, id: uuidv7() }, orderOf(3)]
  const appending = log.append([asDocument(third), ...copied, missing])
  await expect(appending).rejects.toThrow(`There is no event ${missing.id} to copy into the log.`)
  expect(await find('paid')).toEqual([first, second])
})

it('words are made of what has none, or none without a vocabulary that is gone', async () => {
  await using database = await testDatabase()
  const { log, keep, find } = await copying(database)
  const [wordless, lost] = [orderOf(1), orderOf(2)]
  const own = Buffer.concat([Buffer.from([0, 0, 0, 1]), Buffer.from('=\0\0\0')])
  await log.append(await keep([wordless, lost], [undefined, { own, vocabulary: uuidv7() }]))
  expect(await find('nobody has ever')).toEqual([wordless, lost])
  const states = await database.many(sql`select words is null as none, vocabulary from search.documents`)
  expect(states).toEqual([
    { none: false, vocabulary: null },
    { none: false, vocabulary: null },
  ])
})

it('a document may be made in a transaction, which does not wait for its vocabulary', async () => {
  await using database = await testDatabase()
  await openLog(database)
  const maker = new WordMaker(database)
  const made = await database.transaction(async (tx) => {
    for (let number = 0; number < 40; number += 1) maker.wordsOf(asDocument(orderOf(number)))
    return await tx.many(sql`select 1 as one`)
  })
  expect(made).toEqual([{ one: 1 }])
  await vi.waitFor(() => expect(maker.wordsOf(asDocument(orderOf(0))).vocabulary).toBeDefined())
})

it('no vocabulary is named that could not be stored', async () => {
  await using database = await testDatabase()
  await openLog(database)
  await database.many(sql`drop table search.vocabularies`)
  const maker = new WordMaker(database)
  const named = Array.from(
    { length: 200 },
    (_, number) => maker.wordsOf(asDocument(orderOf(number))).vocabulary,
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  named.push(maker.wordsOf(asDocument(orderOf(0))).vocabulary)
  expect(new Set(named)).toEqual(new Set([undefined]))
})
