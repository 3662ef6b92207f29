import type { Aggregation, Aggregations } from '@platform/search'
import { describe, expect, test } from 'vitest'
import { readSearch } from '../read-search.ts'

const now = new Date('2026-05-15T10:20:30.456Z')
const read = (aggs: Record<string, unknown>) => readSearch({ aggs, limit: 0, page: 0 }, now).aggregations
const terms = (more = {}) => ({ terms: { field: 'type', ...more } })
const nested = (depth: number, size = 2): Record<string, unknown> => ({
  a: { ...terms({ size }), ...(depth === 1 ? {} : { aggs: nested(depth - 1, size) }) },
})
const byType: Aggregation = { terms: { path: 'type', size: 10, order: 'count' } }

const taken: [name: string, aggregation: Record<string, unknown>, expected: Aggregation][] = [
  ['terms', terms(), byType],
  [
    'terms by key',
    terms({ size: 1000, order: { _key: 'asc' } }),
    { terms: { path: 'type', size: 1000, order: 'key' } },
  ],
  ['terms by count', terms({ order: { _count: 'desc' }, min_doc_count: 1 }), byType],
  [
    'terms of a keyword',
    { terms: { field: 'payload.city.keyword' } },
    { terms: { path: 'payload.city', size: 10, order: 'count' } },
  ],
  [
    'days',
    { date_histogram: { field: 'createdAt', calendar_interval: '1d' } },
    { dateHistogram: { path: 'createdAt', interval: { calendar: 'day' }, minCount: 0 } },
  ],
  [
    'months in Paris',
    {
      date_histogram: {
        field: '@timestamp',
        calendar_interval: 'month',
        time_zone: 'Europe/Paris',
        min_doc_count: 1,
      },
    },
    {
      dateHistogram: {
        path: 'createdAt',
        interval: { calendar: 'month', timeZone: 'Europe/Paris' },
        minCount: 1,
      },
    },
  ],
  [
    'half hours',
    { date_histogram: { field: 'createdAt', fixed_interval: '30m', time_zone: 'UTC' } },
    { dateHistogram: { path: 'createdAt', interval: { fixedMs: 1_800_000 }, minCount: 0 } },
  ],
  [
    'cardinality',
    { cardinality: { field: 'source.userId', precision_threshold: 100 } },
    { cardinality: { path: 'source.userId' } },
  ],
  ['sum', { sum: { field: 'payload.total' } }, { metric: 'sum', path: 'payload.total' }],
  ['avg', { avg: { field: 'size' } }, { metric: 'avg', path: 'size' }],
  ['min', { min: { field: 'payload.n' } }, { metric: 'min', path: 'payload.n' }],
  ['max', { max: { field: 'source.automationDepth' } }, { metric: 'max', path: 'source.automationDepth' }],
  [
    'filters',
    { filters: { filters: { paid: { term: { type: 'paid' } }, all: { match_all: {} } } } },
    { filters: { paid: { path: 'type', in: ['paid'] }, all: { all: [] } } },
  ],
  [
    'composite',
    {
      composite: {
        size: 100,
        sources: [
          { t: { terms: { field: 'type' } } },
          { d: { date_histogram: { field: 'createdAt', calendar_interval: 'day', order: 'desc' } } },
        ],
        after: { t: 'a', d: 5 },
      },
    },
    {
      composite: {
        size: 100,
        sources: [
          { name: 't', terms: { path: 'type' }, order: 'asc' },
          { name: 'd', dateHistogram: { path: 'createdAt', interval: { calendar: 'day' } }, order: 'desc' },
        ],
        after: { t: 'a', d: 5 },
      },
    },
  ],
  [
    'aggs inside',
    { ...terms(), aggs: { n: { sum: { field: 'size' } } } },
    { ...byType, aggregations: { n: { metric: 'sum', path: 'size' } } },
  ],
  [
    'aggregations inside',
    { ...terms(), aggregations: { n: { max: { field: 'size' } } } },
    { ...byType, aggregations: { n: { metric: 'max', path: 'size' } } },
  ],
]

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, terms()]))
const dates = (more: Record<string, unknown>) => ({ x: { date_histogram: { field: 'createdAt', ...more } } })
const source = (definition: unknown) => ({ x: { composite: { sources: [{ s: definition }] } } })

const refused: [name: string, aggs: Record<string, unknown>, path: string, sentence: string][] = [
  ['no kind', { x: {} }, 'aggs.x', 'exactly one kind'],
  ['two kinds', { x: { ...terms(), sum: { field: 'size' } } }, 'aggs.x', 'exactly one kind'],
  ['an unknown kind', { x: { magic: {} } }, 'aggs.x.magic', 'use terms, date_histogram'],
  ['scripted_metric', { x: { scripted_metric: {} } }, 'aggs.x.scripted_metric', 'scripts do not run here'],
  ['bucket_script', { x: { bucket_script: {} } }, 'aggs.x.bucket_script', 'scripts do not run here'],
  ['global', { x: { global: {} } }, 'aggs.x.global', 'stays within the query'],
  ['top_hits', { x: { top_hits: {} } }, 'aggs.x.top_hits', 'in a search of their own'],
  ['a script', { x: { sum: { script: 'doc.size' } } }, 'aggs.x.sum.script', 'scripts do not run here'],
  [
    'terms by script',
    { x: { terms: { field: 'type', script: {} } } },
    'aggs.x.terms.script',
    'scripts do not run here',
  ],
  ['no field', { x: { sum: {} } }, 'aggs.x.sum.field', 'is required'],
  ['a foreign field', { x: { terms: { field: '_index' } } }, 'aggs.x.terms.field', 'is no field of events'],
  ['1,001 buckets', { x: terms({ size: 1001 }) }, 'aggs.x.terms.size', 'must be at most 1000'],
  ['a size of none', { x: terms({ size: 0 }) }, 'aggs.x.terms.size', 'must be at least 1'],
  ['an order by another', { x: terms({ order: { other: 'asc' } }) }, 'aggs.x.terms.order', '"_count"'],
  ['include', { x: terms({ include: '.*' }) }, 'aggs.x.terms.include', 'is not known here'],
  ['too many buckets in buckets', nested(3, 150), 'aggs.a.aggs.a.aggs', 'more than 10000 buckets'],
  ['six levels', nested(6), `aggs${'.a.aggs'.repeat(5)}`, 'deeper than the 5 levels'],
  ['51 aggregations', many(51), 'aggs.a50', 'beyond the 50 aggregations'],
  [
    'aggregations in a number',
    { x: { sum: { field: 'size' }, aggs: { y: terms() } } },
    'aggs.x.aggs',
    'which has no buckets',
  ],
  ['the number of a text', { x: { max: { field: 'createdAt' } } }, 'aggs.x.max.field', 'sort by createdAt'],
  ['a name that buckets have', { key: terms() }, 'aggs.key', 'must have a name'],
  ['a name with a bracket', { 'a[0]': terms() }, 'aggs.a[0]', 'must have a name'],
  [
    'a histogram of another date',
    { x: { date_histogram: { field: 'payload.due', calendar_interval: 'day' } } },
    'aggs.x.date_histogram.field',
    'must be createdAt',
  ],
  ['no interval', dates({}), 'aggs.x.date_histogram', 'either calendar_interval or fixed_interval'],
  [
    'two intervals',
    dates({ calendar_interval: 'day', fixed_interval: '1d' }),
    'aggs.x.date_histogram',
    'either calendar_interval',
  ],
  ['the old interval', dates({ interval: 'day' }), 'aggs.x.date_histogram.interval', 'use calendar_interval'],
  [
    'two calendar days',
    dates({ calendar_interval: '2d' }),
    'aggs.x.date_histogram.calendar_interval',
    'use fixed_interval',
  ],
  [
    'a span of no time',
    dates({ fixed_interval: '0s' }),
    'aggs.x.date_histogram.fixed_interval',
    'from one second',
  ],
  [
    'a span of nothing',
    dates({ fixed_interval: 'day' }),
    'aggs.x.date_histogram.fixed_interval',
    'must be a span',
  ],
  [
    'a time zone that is none',
    dates({ calendar_interval: 'day', time_zone: 'Mars/Phobos' }),
    'aggs.x.date_histogram.time_zone',
    'Europe/Paris',
  ],
  [
    'an offset',
    dates({ calendar_interval: 'day', time_zone: '+02:00' }),
    'aggs.x.date_histogram.time_zone',
    'Europe/Paris',
  ],
  [
    'fixed spans in a time zone',
    dates({ fixed_interval: '1d', time_zone: 'Europe/Paris' }),
    'aggs.x.date_histogram.time_zone',
    'calendar_interval',
  ],
  [
    'a fault in a filter',
    { x: { filters: { filters: { bad: { regexp: {} } } } } },
    'aggs.x.filters.filters.bad.regexp',
    'use prefix',
  ],
  [
    'filters without names',
    { x: { filters: { filters: [{ match_all: {} }] } } },
    'aggs.x.filters.filters',
    'a name for each filter',
  ],
  ['no filters', { x: { filters: { filters: {} } } }, 'aggs.x.filters.filters', 'at least one filter'],
  [
    'composite inside',
    { x: { ...terms(), aggs: { y: { composite: { sources: [{ s: terms() }] } } } } },
    'aggs.x.aggs.y.composite',
    'must not be inside',
  ],
  [
    'no sources',
    { x: { composite: { sources: [] } } },
    'aggs.x.composite.sources',
    'expected array to have >=1 items',
  ],
  [
    'a source that is none',
    source({ geotile_grid: {} }),
    'aggs.x.composite.sources.0.s.geotile_grid',
    'use terms or date_histogram',
  ],
  [
    'a source with missing values',
    source({ terms: { field: 'type', missing_bucket: true } }),
    'aggs.x.composite.sources.0.s.terms.missing_bucket',
    'must be false',
  ],
  [
    'the same source twice',
    { x: { composite: { sources: [{ s: terms() }, { s: terms() }] } } },
    'aggs.x.composite.sources',
    'different names',
  ],
  [
    'a key of other sources',
    { x: { composite: { sources: [{ s: terms() }], after: { t: 'a' } } } },
    'aggs.x.composite.after',
    'as in after_key',
  ],
]

describe('aggregations', () => {
  test.for(taken)('are read: %s', ([, aggregation, expected]) => {
    expect(read({ x: aggregation })).toEqual({ x: expected } satisfies Aggregations)
  })

  test.for(refused)('are refused: %s', ([, aggs, path, sentence]) => {
    const attempt = () => read(aggs)
    expect(attempt).toThrow(expect.objectContaining({ name: 'RequestValidationError' }))
    expect(attempt).toThrow(sentence)
    expect(attempt).toThrow(expect.objectContaining({ details: [expect.objectContaining({ path })] }))
  })

  test('are taken up to the limits', () => {
    expect(Object.keys(read(many(50)))).toHaveLength(50)
    expect(read(nested(5))).toHaveProperty('a.aggregations.a.aggregations.a.aggregations.a.aggregations.a')
  })

  test('have two names, of which one is sent', () => {
    const both = { aggs: { x: terms() }, aggregations: { x: terms() }, limit: 0, page: 0 }
    expect(() => readSearch(both, now)).toThrow('aggregations: is another name of aggs')
    expect(readSearch({ aggregations: { x: terms() }, limit: 0, page: 0 }, now).aggregations).toEqual({
      x: byType,
    })
  })
})
