import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { describe, expect, it, test } from 'vitest'
import { AskedDocument } from '../asked-document.ts'
import { compileFilter } from '../compile-filter.ts'
import type { Filter } from '../filter.ts'
import { wordsIn } from '../words.ts'
import { toSql } from './filter-to-sql.ts'
import { openLog } from './open-log.ts'
import { maybeEquals, vectorOf } from './search-vector.ts'

const uuidOf = (number: number) => `0190a21a-0000-7000-8000-${String(number).padStart(12, '0')}`
const lexemes = vectorOf
const termsOf = (document: unknown) => lexemes(document).filter((one) => one.startsWith('=') && one !== '=')

test('a document is found by its words and by terms of its values', () => {
  expect(lexemes({ name: 'Ada' })).toEqual(['name', 'ada', '=', expect.stringMatching(/^=[0-9a-z]+$/)])
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

const event = {
  id: uuidOf(1),
  type: 'runtime.automations.executed',
  source: {
    ...{ workspaceId: 'w', correlationId: 'c', host: { service: 'runtime' } },
    ...{ automationSlug: 'greet', automationDepth: 1, userId: 'u', sessionId: 's' },
  },
  payload: {
    ...{ slug: 'greet', trigger: { id: 't', type: 'endpoint', value: 'greet' }, duration: 3 },
    ...{ startedAt: '2026-11-28T02:01:30.097Z', break: false },
    payload: {
      ...{ body: { name: 'Ada' }, query: {}, method: 'POST', pathParams: {} },
      headers: { 'content-type': 'text/plain', 'content-length': '3', 'x-correlation-id': 'c' },
    },
  },
  createdAt: '2026-11-28T02:01:30.101Z',
  size: 570,
}

describe('names that come together', () => {
  test('are one lexeme where all of them are there', () => {
    const names = ['id', 'source', 'workspaceid', 'automationslug', 'startedat', 'pathparams', 'correlation']
    expect(lexemes(event)).toEqual(expect.arrayContaining(['~1', '~2', '~4', '~5', '~6', '~7', 'name']))
    expect(lexemes(event).filter((one) => names.includes(one) || one === '~3')).toEqual([])
    const { source, ...others } = event
    expect(lexemes(others)).toEqual(expect.arrayContaining(['id', 'createdat', '~5']))
    expect(lexemes({ ...others, source: undefined })).not.toContain('~1')
  })

  it('are found by each of their words and its beginning, as all others are', async () => {
    await using database = await testDatabase()
    const log = await openLog(database)
    const { size, ...others } = event
    const documents = [event, others, { name: event.payload }]
    await log.append(documents.map((document) => ({ stream: 'events-a', id: uuidv7(), document })))
    const wanted = new Set(documents.flatMap(wordsIn).flatMap((word) => [word, word.slice(0, 3)]))
    expect(wanted.size).toBeGreaterThan(80)
    for (const text of [...wanted, 'sizes', 'zzz', 'content-type user', '"name": "Ada']) {
      const found = await log.find('events-a', { filter: { text }, sort: 'asc', limit: 10 })
      const matches = compileFilter({ text })
      expect([text, found]).toEqual([text, documents.filter((one) => matches(new AskedDocument(one)))])
    }
  })
})

test('a question has the term of its value', () => {
  const [term = ''] = termsOf({ payload: { 'a.b': [{ c: 'Ada' }] } })
  expect(maybeEquals('payload.a\\.b.c', ['Ada'])).toBe(`* | '${term}'`)
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
    sql`explain select 1 from search.documents where ${toSql({ path: 'payload.number', in: [3] })}`,
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
  const rows = await database.many(sql`select 1 from search.documents where ${toSql(filter)}`)
  expect(rows).toHaveLength(1)
})
