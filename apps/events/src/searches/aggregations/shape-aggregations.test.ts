import { expect, test } from 'vitest'
import { shapeAggregations } from './shape-aggregations.ts'

const day = Date.parse('2026-05-03T22:00:00Z')

test('results are shaped as Elasticsearch shapes them', () => {
  const byType = { path: 'type', size: 10, order: 'count' } as const
  const paris = { calendar: 'day', timeZone: 'Europe/Paris' } as const
  const shaped = shapeAggregations(
    {
      types: { terms: byType, aggregations: { total: { metric: 'sum', path: 'payload.n' } } },
      days: { dateHistogram: { path: 'createdAt', interval: { calendar: 'day' }, minCount: 0 } },
      local: { dateHistogram: { path: 'createdAt', interval: paris, minCount: 0 } },
      split: {
        filters: { big: { all: [] } },
        aggregations: { users: { cardinality: { path: 'source.userId' } } },
      },
      pages: { composite: { size: 1, sources: [{ name: 't', terms: { path: 'type' }, order: 'asc' }] } },
    },
    {
      types: { buckets: [{ key: 'a', count: 2, aggregations: { total: { value: 7 } } }], otherCount: 3 },
      days: { buckets: [{ key: day, count: 1 }] },
      local: { buckets: [{ key: day, count: 1 }] },
      split: { filters: { big: { count: 4, aggregations: { users: { value: 2 } } } } },
      pages: { composite: [{ key: { t: 'a' }, count: 2 }], afterKey: { t: 'a' } },
    },
  )
  expect(shaped).toEqual({
    types: { sum_other_doc_count: 3, buckets: [{ key: 'a', doc_count: 2, total: { value: 7 } }] },
    days: { buckets: [{ key: day, key_as_string: '2026-05-03T22:00:00.000Z', doc_count: 1 }] },
    local: { buckets: [{ key: day, key_as_string: '2026-05-04T00:00:00.000+02:00', doc_count: 1 }] },
    split: { buckets: { big: { doc_count: 4, users: { value: 2 } } } },
    pages: { after_key: { t: 'a' }, buckets: [{ key: { t: 'a' }, doc_count: 2 }] },
  })
})
