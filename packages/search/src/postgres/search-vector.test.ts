import { sql } from '@platform/database'
import { hashOfText, uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import type { Filter } from '../filter.ts'
import { wordsIn } from '../words.ts'
import { toSql } from './filter-to-sql.ts'
import { openLog } from './open-log.ts'
import { maybeEquals, vectorOf } from './search-vector.ts'
import { toQuery } from './wanted.ts'

const inNone = () => []
const uuidOf = (number: number) => `0190a21a-0000-7000-8000-${String(number).padStart(12, '0')}`
/** Each ends with a zero and the number of its positions, which has two bytes. */
const lexemes = (document: unknown) => vectorOf(document).toString('utf8', 4).split('\0\0\0').slice(0, -1)
const termsOf = (document: unknown) => lexemes(document).filter((one) => one.startsWith('=') && one !== '=')

test('a document is found by its words and by terms of its values', () => {
  expect(lexemes({ name: 'Ada' })).toEqual(['name', 'ada', expect.stringMatching(/^=[0-9a-z]+$/), '='])
  expect(vectorOf({ name: 'Ada' }).readInt32BE()).toBe(4)
  expect(termsOf({ a: [1, 1], b: null, c: true, d: '', e: undefined })).toHaveLength(4)
})

test('what its own words tell from others has no term', () => {
  const telling = [
    '01a21add-0cf5-7641-bdf3-f74774ed0989',
    '5c05b226bef095257e1f506a504f8e95',
    '2026-11-27T02:37:04.117Z',
    'order4711',
    'The order has been paid',
    1_732_672_800_000,
  ]
  expect(termsOf(telling)).toEqual([])
  expect(termsOf(['Ada', 'article-7', 'succeeded', 4711, 1e21])).toHaveLength(5)
})

test('a text and a number that are equal have one term, the same value at another path another', () => {
  expect(termsOf({ a: 5 })).toEqual(termsOf({ a: ['5'] }))
  expect(termsOf({ a: { b: 5 } })).not.toEqual(termsOf({ b: { a: 5 } }))
})

it('finds what a version before has stored by one lexeme for several names', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  await database.many(sql`
    insert into search.documents (id, stream, document, words)
    values (${uuidv7()}, 'events-a', '{"createdAt": "x", "source": {}}', array_to_tsvector(array['~1', 'ada', '=']))`)
  const find = (text: string) => log.find('events-a', { filter: { text }, sort: 'asc', limit: 10 })
  for (const text of ['createdAt', 'created', 'source ada', 'pay']) expect(await find(text)).toHaveLength(1)
  for (const text of ['automationSlug', 'createdby']) expect(await find(text)).toEqual([])
})

it('has each word and each term once, whatever the document says and in whatever order', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.string({ unit: fc.constantFrom('a', 'B', 'é', '0', '-', ' '), maxLength: 300 }),
    fc.uuid().map((id) => `${id} ${id.toUpperCase()}`),
  )
  const documents = fc.dictionary(texts, fc.array(fc.oneof(texts, fc.double(), fc.boolean())), { maxKeys: 6 })
  fc.assert(
    fc.property(documents, (document) => {
      const found = lexemes(document)
      expect(vectorOf(document).readInt32BE()).toBe(found.length)
      expect(new Set(found).size).toBe(found.length)
      const words = found.filter((one) => !/^[=*]/.test(one))
      expect(words.sort()).toEqual(wordsIn(document).sort())
    }),
  )
})

/** Words that a hash puts to one place, as somebody might choose them. */
function crowdedWords(count: number): string[] {
  const placeOf = (word: string) => {
    const hash = hashOfText(word)
    return (hash ^ (hash >>> 16)) & 16_383
  }
  const words: string[] = []
  for (let number = 0; words.length < count; number += 1)
    if (placeOf(`w${number}`) === 4711) words.push(`w${number}`)
  return words
}

it('tells words apart that are chosen to be looked for at one place', () => {
  const words = crowdedWords(100)
  const found = lexemes(words.join(' '))
  expect(found.filter((word) => words.includes(word))).toEqual(words)
  expect(lexemes([words.join(' '), words.toReversed().join(' ')])).toEqual([...words, '='])
})

test('a question has the term of its value', () => {
  const [term = ''] = termsOf({ payload: { 'a.b': [{ c: 'Ada' }] } })
  expect(toQuery(maybeEquals('payload.a\\.b.c', ['Ada']))).toBe(`* | '${term}'`)
})

it('finds values by one index, also those that a version before has stored', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  const document = (number: number) => ({
    type: 't',
    payload: {
      number,
      half: number % 2 === 0,
      id: uuidOf(number),
    },
  })
  const documents = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({
      stream: 'events-a',
      id: uuidv7(1_790_000_000_000 + from + at),
      document: document(from + at),
    }))
  await log.append(documents(0, 6000))
  const before = documents(6000, 6100)
  await database.many(sql`
    insert into search.documents (id, stream, document, words)
    select (one->>'id')::uuid, 'events-a', one->'document', ''::tsvector
    from jsonb_array_elements(${JSON.stringify(before)}::jsonb) as one`)
  await log.append(documents(6100, 12_000))
  await database.many(sql`
    select gin_clean_pending_list(index::regclass)
    from unnest(array['search.documents_default_words_idx', 'search.documents_default_document_idx']) as index`)
  await database.many(sql`analyze search.documents`)
  const numbers = async (filter: Filter) =>
    (await log.find('events-a', { filter, sort: 'asc', limit: 10 })).map(({ payload }) =>
      Number((payload as { number: number }).number),
    )

  expect(await numbers({ path: 'payload.number', in: [3] })).toEqual([3])
  expect(await numbers({ path: 'payload.number', in: ['11999', 6050, -1] })).toEqual([6050, 11_999])
  expect(await numbers({ path: 'payload.id', in: [uuidOf(5)] })).toEqual([5])
  expect(await numbers({ path: 'payload.id', in: [uuidOf(6005)] })).toEqual([6005])
  expect(
    await numbers({
      all: [
        { path: 'payload.half', in: [true] },
        { path: 'payload.number', in: [7] },
      ],
    }),
  ).toEqual([])

  const plan = await database.many<Record<string, string>>(
    sql`explain select 1 from search.documents where ${toSql({ path: 'payload.number', in: [3] }, inNone)}`,
  )
  const text = plan.map((row) => Object.values(row).join()).join('\n')
  expect(text).toContain('BitmapOr')
  expect(text).not.toContain('Seq Scan on documents_default')
})

it('finds a value in a document that has more than it is found by', async () => {
  await using database = await testDatabase()
  const log = await openLog(database)
  const payload = { many: Array.from({ length: 20_000 }, (_, number) => number), last: 'Ada' }
  await log.append([{ stream: 'events-a', id: uuidv7(), document: { type: 't', payload } }])
  const filter: Filter = { path: 'payload.last', in: ['Ada'] }
  const rows = await database.many(sql`select 1 from search.documents where ${toSql(filter, inNone)}`)
  expect(rows).toHaveLength(1)
})
