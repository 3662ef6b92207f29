import { type Database, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AskedDocument } from '../asked-document.ts'
import { compileFilter } from '../compile-filter.ts'
import type { Filter } from '../filter.ts'
import { wordsIn, wordsOf } from '../words.ts'
import { openLog } from './open-log.ts'
import { vectorOf } from './search-vector.ts'
import { Vocabularies } from './vocabularies.ts'

const STREAM = 'events-a'

/** Runs of one automation, with what differs from one to the next. */
const runOf = (number: number, body: Record<string, unknown> = {}) => ({
  id: uuidv7(),
  type: 'runtime.automations.executed',
  source: { workspaceId: 'a', automationSlug: 'order', host: { service: 'runtime' }, userId: 'fe-ada' },
  payload: {
    slug: 'order',
    output: { greeting: 'Hello Ada', isPaid: true, state: null },
    payload: {
      body: { number, sentence: 'the order has been paid', currency: 'EUR', uneven: number % 2, ...body },
      headers: { 'content-type': 'application/json', 'x-made-by': 'deadbeef-ada-lovelace' },
      method: 'POST',
    },
  },
  createdAt: '2026-11-28T21:55:49.925Z',
})

const asDocuments = (documents: readonly Record<string, unknown>[], stream = STREAM) =>
  documents.map((document) => ({ stream, id: uuidv7(), document }))

const runs = (from: number, to: number, body?: (number: number) => Record<string, unknown>) =>
  Array.from({ length: to - from }, (_, at) => runOf(from + at, body?.(from + at)))

const counted = (database: Database) =>
  database.many<{ vocabulary: string | null; documents: number; words: number }>(sql`
    select vocabulary, count(*)::int as documents, avg(length(words))::int as words
    from search.documents group by vocabulary order by vocabulary nulls first`)

it('what documents of a kind have in common is stored once, and the rest with each', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  await log.append(asDocuments(runs(0, 100)))
  await log.append(asDocuments([{ type: 'another', payload: { order: 'EUR' } }]))
  const [alone, shared, ...others] = await counted(database)
  expect(others).toEqual([])
  expect(alone).toMatchObject({ vocabulary: null, documents: 32 })
  expect(shared).toMatchObject({ documents: 69 })
  expect(shared?.words).toBeLessThan((alone?.words ?? 0) / 2)
})

it('each document is found as if all of its words were its own', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  const documents = [
    ...runs(0, 40),
    ...runs(40, 50, () => ({ currency: 'USD', more: 'the order was never paid' })),
    { type: 'another', payload: { currency: 'EUR', sentence: 'the order has been paid' } },
  ]
  await log.append(asDocuments(documents))
  expect(await counted(database)).toHaveLength(2)
  const words = new Set(documents.flatMap(wordsIn).flatMap((word) => [word, word.slice(0, 3)]))
  const texts = [
    ...words,
    'eur paid',
    'paid 7',
    'deadbeef-ada',
    'deadbeef-ad',
    'order 41 usd',
    'eur usd',
    'zzz',
  ]
  const values: [string, (string | number | boolean | null)[]][] = [
    ['payload.payload.body.currency', ['EUR']],
    ['payload.payload.body.currency', ['USD', 'CHF']],
    ['payload.payload.body.sentence', ['the order has been paid']],
    ['payload.sentence', ['the order has been paid']],
    ['payload.payload.body.number', [7, '41']],
    ['payload.payload.body.uneven', [1]],
    ['payload.output.isPaid', [true]],
    ['payload.output.state', [null]],
    ['payload.output.state', ['null', 'EUR']],
    ['source.host.service', ['runtime']],
  ]
  const filters: Filter[] = [
    ...texts.map((text) => ({ text })),
    ...values.map(([path, allowed]) => ({ path, in: allowed })),
    { not: { text: 'usd' } },
    { not: { path: 'payload.payload.body.currency', in: ['EUR'] } },
    { all: [{ text: 'eur' }, { path: 'payload.output.isPaid', in: [true] }, { not: { text: 'never' } }] },
    { any: [{ text: 'usd' }, { path: 'payload.currency', in: ['EUR'] }] },
  ]
  for (const filter of filters) {
    const matches = compileFilter(filter)
    const expected = documents.filter((one) => matches(new AskedDocument(one)))
    const found = await log.find(STREAM, { filter, sort: 'asc', limit: 100 })
    expect([filter, found]).toEqual([filter, expected])
    const rest = { limit: 0, offset: 0, sort: [], countAll: true }
    for (const stream of [STREAM, undefined]) {
      const { total } = await log.analyse(stream, { filter, aggregations: {}, ...rest })
      expect([filter, total]).toEqual([filter, expected.length])
    }
  }
})

it('a kind whose documents change gets another vocabulary, and one that never settles none', () => {
  const vocabularies = new Vocabularies()
  const idsOf = (documents: Record<string, unknown>[]) =>
    documents.map((document) => vocabularies.wordsOf({ stream: STREAM, id: '', document }).vocabulary?.id)
  const first = idsOf(runs(0, 60))
  expect(new Set(first.slice(0, 31))).toEqual(new Set([undefined]))
  expect(new Set(first.slice(31)).size).toBe(1)
  const changed = idsOf(runs(60, 400, () => ({ currency: 'USD' })))
  expect(changed.slice(0, 200)).toContain(undefined)
  expect(new Set(changed.slice(-20)).size).toBe(1)
  expect(changed.at(-1)).not.toBe(first.at(-1))
  // What has changed is in none any more.
  const mixed = (number: number) => ({ currency: number % 2 === 0 ? 'CHF' : 'EUR' })
  expect(new Set(idsOf(runs(0, 1000, mixed)))).toEqual(new Set([changed.at(-1)]))

  const letters = (number: number) => number.toString(2).replaceAll('0', 'o').replaceAll('1', 'l')
  const unsettled = Array.from({ length: 2000 }, (_, at) => ({
    type: 'letters',
    payload: Array.from({ length: 40 }, (_, word) => `w${letters(at * 40 + word)}`),
  }))
  expect(new Set(idsOf(unsettled))).toEqual(new Set([undefined]))
})

it('numbers and ids that are always the same are shared, times are not', () => {
  const vocabularies = new Vocabularies()
  const caller = uuidv7()
  const createdAt = new Date().toISOString()
  const documents = runs(0, 40, () => ({ price: 4711, caller, unit: '3kg' }))
  const learned = asDocuments(documents.map((one) => ({ ...one, createdAt })))
  const words = learned.map((one) => vocabularies.wordsOf(one)).at(-1)
  const shared = words?.vocabulary?.lexemes.all.map(({ bytes }) => Buffer.from(bytes).toString()) ?? []
  expect(shared).toEqual(expect.arrayContaining(['4711', caller, '3kg']))
  for (const word of wordsOf(createdAt)) expect(shared).not.toContain(word)
})

it('two processes learn the same vocabulary, another stream another one', () => {
  const learn = (stream: string, documents: Record<string, unknown>[]) => {
    const vocabularies = new Vocabularies()
    return documents
      .map((document) => vocabularies.wordsOf({ stream, id: '', document }).vocabulary?.id)
      .at(-1)
  }
  expect(learn(STREAM, runs(0, 40))).toBeDefined()
  expect(learn(STREAM, runs(0, 40))).toBe(learn(STREAM, runs(40, 99).toReversed()))
  expect(learn(STREAM, runs(0, 40))).not.toBe(learn('events-b', runs(0, 40)))
})

it('own words and those of the vocabulary are all words of the document, each once', () => {
  const lexemesIn = (vector: Buffer) => vector.toString('utf8', 4).split('\0\0\0').slice(0, -1)
  const texts = ['eins', 'zwei drei', 'vier', 'é', 'Ω', "o'clock", '12', 'a-b', '', 7, 1e21, -0, true, null]
  const words = fc.array(
    fc.oneof(fc.constantFrom(...texts), fc.dictionary(fc.constantFrom('x', 'y z', '9'), fc.string())),
  )
  fc.assert(
    fc.property(fc.array(words, { minLength: 40, maxLength: 60 }), (lists) => {
      const vocabularies = new Vocabularies()
      for (const list of lists) {
        const document = runOf(1, { list })
        const { own, vocabulary } = vocabularies.wordsOf({ stream: STREAM, id: '', document })
        const all = [...lexemesIn(own), ...(vocabulary === undefined ? [] : lexemesIn(vocabulary.vector))]
        expect(own.readInt32BE()).toBe(lexemesIn(own).length)
        expect(all.sort()).toEqual(lexemesIn(vectorOf(document)).sort())
      }
    }),
    { numRuns: 20 },
  )
})

it('what is made here is found by what JSON says of it', () => {
  const odd = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    1e21,
    undefined,
    new Date(0),
    () => 1,
    new Map([[1, 2]]),
  ]
  const jsonOf = (document: unknown): unknown => JSON.parse(JSON.stringify(document))
  const values = fc.array(
    fc.oneof(fc.constantFrom<unknown>(...odd, { toJSON: () => 'seven' }, { toJSON: 7 }), fc.jsonValue()),
  )
  fc.assert(
    fc.property(fc.array(values, { minLength: 40, maxLength: 50 }), (lists) => {
      const [made, read] = [new Vocabularies(), new Vocabularies()]
      for (const list of lists) {
        const document = runOf(1, { list, odd: list[0], always: Number.NaN, when: [odd, new Date(0)] })
        const ofMade = made.wordsOf({ stream: STREAM, id: '', document })
        const ofRead = read.wordsOf({ stream: STREAM, id: '', document: jsonOf(document) as typeof document })
        expect([ofMade.vocabulary?.id, ofMade.own.toString()]).toEqual([
          ofRead.vocabulary?.id,
          ofRead.own.toString(),
        ])
      }
    }),
    { numRuns: 30 },
  )
})

it('remembers so much of a document, however many names its words make', () => {
  const vocabularies = new Vocabularies()
  const letters = Array.from('abcdefghijklmnopqrst')
  const names = letters.flatMap((one) => letters.map((other) => `${one} ${other}`))
  const wide = {
    type: 'wide',
    payload: Object.fromEntries(names.map((name) => [name, 'the order has been paid'])),
  }
  const last = Array.from({ length: 40 }, () =>
    vocabularies.wordsOf({ stream: STREAM, id: '', document: wide }),
  ).at(-1)
  const payload = last?.vocabulary?.known.fields.get('payload')
  expect(payload?.fields.size).toBeGreaterThan(100)
  expect(payload?.fields.size).toBeLessThan(300)
  expect(last?.own.readInt32BE()).toBe(1)
})

it('a vocabulary that was lost is there again with the next document that names it', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  await log.append(asDocuments(runs(0, 40)))
  await database.many(sql`delete from search.documents`)
  await database.many(sql`delete from search.vocabularies`)
  await log.append(asDocuments(runs(40, 41)))
  const found = await log.find(STREAM, { filter: { text: 'eur' }, sort: 'asc', limit: 10 })
  expect(found).toHaveLength(1)
})

it('a vocabulary that no document names goes a day later, and with its stream', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  await log.append(asDocuments(runs(0, 40)))
  await log.append(asDocuments(runs(0, 40), 'events-b'))
  const names = async () =>
    (await database.many<{ stream: string }>(sql`select stream from search.vocabularies order by 1`)).map(
      ({ stream }) => stream,
    )
  const age = () => database.many(sql`update search.vocabularies set used_at = now() - interval '2 days'`)
  await log.deleteStream('events-b')
  expect(await names()).toEqual(['events-a'])
  await age()
  await log.deleteBefore('events-a', new Date(0), 1000)
  expect(await names()).toEqual(['events-a'])
  await log.append(asDocuments(runs(40, 41)))
  const inAnHour = new Date(Date.now() + 3_600_000)
  expect(await log.deleteBefore('events-a', inAnHour, 1000)).toBe(41)
  expect(await names()).toEqual(['events-a'])
  await age()
  await log.deleteBefore('events-a', inAnHour, 1000)
  expect(await names()).toEqual([])
})

it('a document that is stripped has its own words again', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  const documents = runs(0, 40)
  await log.append(documents.map((document) => ({ stream: STREAM, id: document.id, document })))
  expect(await log.stripExecuted(new Date(Date.now() + 60_000), 100)).toBe(40)
  const find = (text: string) => log.find(STREAM, { filter: { text }, sort: 'asc', limit: 100 })
  expect(await find('runtime order')).toHaveLength(40)
  expect(await find('eur')).toEqual([])
})
