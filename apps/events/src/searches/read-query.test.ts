import type { Filter } from '@platform/search'
import { describe, expect, test } from 'vitest'
import { readSearch } from './read-search.ts'

const now = new Date('2026-05-15T10:20:30.456Z')
const filterOf = (query: Record<string, unknown>) => readSearch({ query, limit: 10, page: 0 }, now).filter
const bools = (depth: number): Record<string, unknown> =>
  depth === 0 ? { match_all: {} } : { bool: { filter: bools(depth - 1) } }

const a: Filter = { path: 'type', in: ['a'] }
const b: Filter = { path: 'type', in: ['b'] }
const c: Filter = { path: 'type', in: ['c'] }
const is = (type: string) => ({ term: { type } })
const day = { atLeast: '2026-05-08T00:00:00.000Z', atMost: '2026-05-08T23:59:59.999Z' }

const taken: [name: string, query: Record<string, unknown>, filter: Filter][] = [
  ['term', { term: { type: 'a' } }, a],
  ['term with a value', { term: { type: { value: 'a', case_insensitive: false, boost: 2 } } }, a],
  ['term on a number', { term: { 'payload.n': 5 } }, { path: 'payload.n', in: [5] }],
  ['term on a boolean', { term: { 'payload.ok': true } }, { path: 'payload.ok', in: [true] }],
  ['term on a keyword', { term: { 'payload.city.keyword': 'Lyon' } }, { path: 'payload.city', in: ['Lyon'] }],
  ['a field called keyword', { term: { 'payload.keyword': 'x' } }, { path: 'payload.keyword', in: ['x'] }],
  ['term on _id', { term: { _id: 'x' } }, { path: 'id', in: ['x'] }],
  ['term on a day', { term: { '@timestamp': '2026-05-08' } }, { any: [{ path: 'createdAt', ...day }] }],
  ['a key with a dot', { term: { 'payload.a\\.b': 1 } }, { path: 'payload.a\\.b', in: [1] }],
  [
    'a key in another script',
    { term: { 'payload.städte': 'Köln' } },
    { path: 'payload.städte', in: ['Köln'] },
  ],
  ['terms', { terms: { type: ['a', 'b'], boost: 1 } }, { path: 'type', in: ['a', 'b'] }],
  ['terms without values', { terms: { type: [] } }, { path: 'type', in: [] }],
  [
    'range of numbers',
    { range: { 'payload.n': { gt: 1, lte: 5 } } },
    { path: 'payload.n', above: 1, atMost: 5 },
  ],
  [
    'range of texts',
    { range: { 'source.userId': { gte: 'a', lt: 'b' } } },
    { path: 'source.userId', atLeast: 'a', below: 'b' },
  ],
  [
    'range from a day',
    { range: { createdAt: { gte: '2026-05-08' } } },
    { path: 'createdAt', atLeast: '2026-05-08T00:00:00.000Z' },
  ],
  [
    'range up to a day',
    { range: { createdAt: { lte: '2026-05-08' } } },
    { path: 'createdAt', atMost: '2026-05-08T23:59:59.999Z' },
  ],
  [
    'range by date math',
    { range: { '@timestamp': { gte: 'now-7d/d', lt: 'now' } } },
    { path: 'createdAt', atLeast: '2026-05-08T00:00:00.000Z', below: '2026-05-15T10:20:30.456Z' },
  ],
  [
    'range in milliseconds',
    { range: { createdAt: { gt: 0, format: 'epoch_millis' } } },
    { path: 'createdAt', above: '1970-01-01T00:00:00.000Z' },
  ],
  [
    'date math on a payload',
    { range: { 'payload.due': { lt: 'now+1M' } } },
    { path: 'payload.due', below: '2026-06-15T10:20:30.456Z' },
  ],
  [
    'a text that begins with now',
    { range: { 'payload.note': { gte: 'now or never' } } },
    { path: 'payload.note', atLeast: 'now or never' },
  ],
  ['exists', { exists: { field: 'payload.note' } }, { not: { path: 'payload.note', missing: true } }],
  ['prefix', { prefix: { type: 'order.' } }, { path: 'type', like: 'order.*' }],
  ['prefix with a value', { prefix: { type: { value: 'o' } } }, { path: 'type', like: 'o*' }],
  [
    'match on a field',
    { match: { 'payload.name': 'Ada Lovelace' } },
    { path: 'payload.name', in: ['Ada Lovelace'] },
  ],
  [
    'match with a query',
    { match: { 'payload.name': { query: 'Ada' } } },
    { path: 'payload.name', in: ['Ada'] },
  ],
  ['match on the event', { match: { text: 'Ada Lovelace' } }, { text: 'Ada Lovelace' }],
  [
    'match on _all, or',
    { match: { _all: { query: 'Ada Bob', operator: 'or' } } },
    { any: [{ text: 'Ada' }, { text: 'Bob' }] },
  ],
  ['match_all', { match_all: {} }, { all: [] }],
  ['match_none', { match_none: {} }, { any: [] }],
  ['wildcard', { wildcard: { type: 'order.*ed' } }, { path: 'type', like: 'order.*ed' }],
  ['wildcard with a value', { wildcard: { type: { value: 'o*' } } }, { path: 'type', like: 'o*' }],
  ['wildcard without one', { wildcard: { type: { wildcard: 'a' } } }, a],
  ['ids', { ids: { values: ['x', 'y'] } }, { path: 'id', in: ['x', 'y'] }],
  ['an empty bool', { bool: {} }, { all: [] }],
  ['bool must and filter', { bool: { must: is('a'), filter: [is('b')] } }, { all: [a, b] }],
  ['bool must_not', { bool: { must_not: [is('a'), is('b')] } }, { all: [{ not: a }, { not: b }] }],
  ['bool should alone', { bool: { should: [is('a'), is('b')] } }, { all: [{ any: [a, b] }] }],
  ['bool should beside must', { bool: { must: is('a'), should: [is('b')] } }, { all: [a] }],
  [
    'bool with one of should',
    { bool: { must: is('a'), should: [is('b'), is('c')], minimum_should_match: 1 } },
    { all: [a, { any: [b, c] }] },
  ],
  [
    'bool with all of should',
    { bool: { should: [is('a'), is('b')], minimum_should_match: 2 } },
    { all: [a, b] },
  ],
  [
    'bool with two of three',
    { bool: { should: [is('a'), is('b'), is('c')], minimum_should_match: 2 } },
    { all: [{ any: [{ all: [a, b] }, { all: [a, c] }, { all: [b, c] }] }] },
  ],
  ['bool with too many', { bool: { should: [is('a')], minimum_should_match: 2 } }, { all: [{ any: [] }] }],
  ['bool with none needed', { bool: { should: [is('a')], minimum_should_match: 0 } }, { all: [] }],
  ['five levels', bools(5), { all: [{ all: [{ all: [{ all: [{ all: [{ all: [] }] }] }] }] }] }],
]

const refused: [name: string, query: Record<string, unknown>, path: string, sentence: string][] = [
  ['no clause', {}, 'query', 'exactly one clause'],
  ['two clauses', { term: { type: 'a' }, exists: { field: 'id' } }, 'query', 'exactly one clause'],
  ['an unknown clause', { fancy: {} }, 'query.fancy', 'use bool, term'],
  ['a clause of an object’s prototype', { constructor: {} }, 'query.constructor', 'is no clause'],
  ['regexp', { regexp: { type: '.*' } }, 'query.regexp', 'use prefix or wildcard'],
  ['query_string', { query_string: { query: 'a:b' } }, 'query.query_string', 'use match on "text"'],
  ['simple_query_string', { simple_query_string: {} }, 'query.simple_query_string', 'use match on "text"'],
  ['script', { script: { script: 'true' } }, 'query.script', 'scripts do not run here'],
  ['script_score', { script_score: {} }, 'query.script_score', 'scripts do not run here'],
  ['function_score', { function_score: {} }, 'query.function_score', 'use bool and sort'],
  ['fuzzy', { fuzzy: { type: 'a' } }, 'query.fuzzy', 'use prefix or wildcard'],
  ['nested', { nested: { path: 'payload' } }, 'query.nested', 'a path leads through lists'],
  ['a foreign field', { term: { _index: 'events-b' } }, 'query.term._index', 'is no field of events'],
  [
    'a field with a wildcard',
    { exists: { field: 'payload.*' } },
    'query.exists.field',
    'is no field of events',
  ],
  ['a field with a quote', { term: { "payload.a'b": 1 } }, "query.term.payload.a'b", 'is no field of events'],
  ['the whole payload', { exists: { field: 'payload' } }, 'query.exists.field', 'is no field of events'],
  ['options', { term: { 'options.persist': true } }, 'query.term.options.persist', 'is no field of events'],
  ['two fields', { term: { type: 'a', id: 'b' } }, 'query.term', 'exactly one field'],
  ['null', { term: { type: null } }, 'query.term.type', 'must_not and exists'],
  [
    'an object as a value',
    { match: { type: { query: {} } } },
    'query.match.type',
    'must be a text, a number or a boolean',
  ],
  [
    'a term without case',
    { term: { type: { value: 'a', case_insensitive: true } } },
    'query.term.type.case_insensitive',
    'must be false',
  ],
  [
    'a terms lookup',
    { terms: { type: { index: 'events-b', id: '1', path: 'type' } } },
    'query.terms.type',
    'must be a list',
  ],
  ['a list in a list', { terms: { type: [['a']] } }, 'query.terms.type.0', 'must be a text'],
  ['a range without bounds', { range: { size: {} } }, 'query.range.size', 'at least one of gt'],
  ['an unknown bound', { range: { size: { from: 1 } } }, 'query.range.size.from', 'is not known here'],
  [
    'a bound that is no value',
    { range: { size: { gt: [1] } } },
    'query.range.size.gt',
    'must be a text or a number',
  ],
  [
    'a date that is none',
    { range: { createdAt: { gt: 'soon' } } },
    'query.range.createdAt.gt',
    'must be a date',
  ],
  [
    '30 February',
    { range: { createdAt: { gt: '2026-02-30' } } },
    'query.range.createdAt.gt',
    'must be a date',
  ],
  [
    'a date beyond all calendars',
    { range: { createdAt: { gt: 'now+999999y' } } },
    'query.range.createdAt.gt',
    'must be a date',
  ],
  [
    'a range in a time zone',
    { range: { createdAt: { gt: 'now', time_zone: '+01:00' } } },
    'query.range.createdAt.time_zone',
    'write the offset',
  ],
  ['a leading star', { wildcard: { type: '*.deleted' } }, 'query.wildcard.type', 'must not begin with'],
  ['a question mark', { wildcard: { type: 'a?' } }, 'query.wildcard.type', 'only "*" is a wildcard'],
  ['an escape', { wildcard: { type: 'a\\*' } }, 'query.wildcard.type', 'nothing is escaped'],
  [
    'a pattern of stars',
    { wildcard: { type: `a${'*a'.repeat(11)}` } },
    'query.wildcard.type',
    'at most 10 wildcards',
  ],
  ['an empty prefix', { prefix: { type: '' } }, 'query.prefix.type', 'use exists'],
  ['a prefix with a star', { prefix: { type: 'a*' } }, 'query.prefix.type', 'always a wildcard'],
  ['a prefix of a date', { prefix: { createdAt: '2026' } }, 'query.prefix.createdAt', 'use range'],
  ['ids by type', { ids: { type: 'a', values: [] } }, 'query.ids.type', 'is not known here'],
  [
    'minimum_should_match in percent',
    { bool: { should: [], minimum_should_match: '75%' } },
    'query.bool.minimum_should_match',
    'must be',
  ],
  [
    'a negative minimum_should_match',
    { bool: { minimum_should_match: -1 } },
    'query.bool.minimum_should_match',
    'must not be negative',
  ],
  [
    'an unknown part of bool',
    { bool: { adjust_pure_negative: true } },
    'query.bool.adjust_pure_negative',
    'is not known here',
  ],
  [
    'a fault deep inside',
    { bool: { must_not: [is('a'), { bool: { must: { fuzzy: {} } } }] } },
    'query.bool.must_not.1.bool.must.fuzzy',
    'use prefix',
  ],
  ['six levels', bools(6), `query${'.bool.filter'.repeat(5)}.bool`, 'deeper than the 5 levels'],
  [
    '1,001 clauses',
    { bool: { should: Array.from({ length: 1001 }, () => is('a')) } },
    'query.bool.should.1000.term.type',
    '1000 conditions',
  ],
  [
    '1,001 values',
    { terms: { type: Array.from({ length: 1001 }, () => 'a') } },
    'query.terms.type',
    '1000 conditions',
  ],
  [
    'too many combinations',
    { bool: { should: Array.from({ length: 30 }, () => is('a')), minimum_should_match: 15 } },
    'query.bool.minimum_should_match',
    '1000 conditions',
  ],
]

describe('a query', () => {
  test.for(taken)('is read: %s', ([, query, filter]) => {
    expect(filterOf(query)).toEqual(filter)
  })

  test.for(refused)('is refused: %s', ([, query, path, sentence]) => {
    const attempt = () => filterOf(query)
    expect(attempt).toThrow(expect.objectContaining({ name: 'RequestValidationError', status: 400 }))
    expect(attempt).toThrow(sentence)
    expect(attempt).toThrow(expect.objectContaining({ details: [expect.objectContaining({ path })] }))
  })

  test('is everything when there is none', () => {
    expect(readSearch({ limit: 10, page: 2 }, now)).toEqual({
      filter: { all: [] },
      aggregations: {},
      limit: 10,
      offset: 20,
      sort: [],
      countAll: false,
    })
  })

  test('reaches 10,000 documents deep and not deeper', () => {
    expect(readSearch({ limit: 100, page: 99 }, now).offset).toBe(9900)
    expect(() => readSearch({ limit: 100, page: 100 }, now)).toThrow(
      'page: reaches deeper than 10000 documents',
    )
  })

  test('takes no mappings', () => {
    expect(readSearch({ limit: 1, page: 0, runtime_mappings: {} }, now).limit).toBe(1)
    const mapped = (mapping: unknown) => () =>
      readSearch({ limit: 1, page: 0, runtime_mappings: { a: mapping } }, now)
    expect(mapped({ type: 'long', script: 'emit(1)' })).toThrow('runtime_mappings.a: scripts do not run here')
    expect(mapped({ type: 'long' })).toThrow('runtime_mappings.a: is not needed')
  })

  test.for([
    [[{ createdAt: 'asc' }], [{ path: 'createdAt', order: 'asc' }]],
    [
      [{ '@timestamp': { order: 'desc' } }, { 'source.userId': {} }],
      [
        { path: 'createdAt', order: 'desc' },
        { path: 'source.userId', order: 'asc' },
      ],
    ],
    [
      [{ size: 'desc' }, { type: 'asc' }],
      [
        { path: 'size', order: 'desc' },
        { path: 'type', order: 'asc' },
      ],
    ],
  ] as const)('is sorted by %j', ([sort, expected]) => {
    expect(readSearch({ limit: 1, page: 0, sort: [...sort] }, now).sort).toEqual(expected)
  })

  test.for([
    [{ 'payload.n': 'asc' }, 'sort.0.payload.n: is not sorted by'],
    [{ _score: 'desc' }, 'sort.0._score: is not taken'],
    [{ _script: { script: 'x' } }, 'sort.0._script: is not taken'],
    [{ createdAt: 'up' }, 'sort.0.createdAt: must be asc or desc'],
    [{ createdAt: { order: 'asc', mode: 'min' } }, 'sort.0.createdAt.mode: is not known here'],
    [{ createdAt: 'asc', type: 'asc' }, 'sort.0: must name exactly one field'],
  ] as const)('is not sorted by %j', ([sort, sentence]) => {
    expect(() => readSearch({ limit: 1, page: 0, sort: [sort] }, now)).toThrow(sentence)
  })
})
