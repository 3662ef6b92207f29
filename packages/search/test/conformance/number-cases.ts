import { type AnalysisCase, asked, metricOf, terms, termsOf, valuesOf, within } from './case-notation.ts'

/** Numbers. */
export const numberCases: readonly AnalysisCase[] = [
  ['sums', asked({ sum: metricOf('sum', 'payload.amount') }), { aggregations: { sum: { value: 1950 } } }],
  [
    'averages',
    asked({ avg: metricOf('avg', 'payload.amount') }),
    { aggregations: { avg: { value: 48.75 } } },
  ],
  [
    'the least',
    asked({ min: metricOf('min', 'payload.balance') }),
    { aggregations: { min: { value: -20 } } },
  ],
  ['the most', asked({ max: metricOf('max', 'payload.balance') }), { aggregations: { max: { value: 19 } } }],
  [
    'numbers of a field that some lack',
    asked({ avg: metricOf('avg', 'payload.score'), min: metricOf('min', 'payload.score') }),
    { aggregations: { avg: { value: 5 }, min: { value: 0.25 } } },
  ],
  [
    'numbers within lists',
    asked({ sum: metricOf('sum', 'payload.items.price') }),
    { aggregations: { sum: { value: 520 } } },
  ],
  [
    'texts are no numbers',
    asked({ sum: metricOf('sum', 'payload.code'), max: metricOf('max', 'payload.customer.name') }),
    { aggregations: { sum: { value: 7 }, max: { value: null } } },
  ],
  [
    'no number at all',
    asked({
      sum: metricOf('sum', 'payload.gone'),
      avg: metricOf('avg', 'payload.gone'),
      min: metricOf('min', 'payload.gone'),
      max: metricOf('max', 'payload.gone'),
    }),
    { aggregations: { sum: { value: 0 }, avg: { value: null }, min: { value: null }, max: { value: null } } },
  ],
  [
    'numbers of own fields',
    asked({ size: metricOf('sum', 'size'), depth: metricOf('avg', 'source.automationDepth') }),
    { aggregations: { size: { value: 7000 }, depth: { value: 0.975 } } },
  ],
  [
    'a time is no number',
    asked({ min: metricOf('min', 'createdAt') }),
    { aggregations: { min: { value: null } } },
  ],
  [
    'numbers under a filter',
    asked({ sum: metricOf('sum', 'payload.number') }, { filter: { path: 'payload.number', atLeast: 38 } }),
    { aggregations: { sum: { value: 77 } } },
  ],
  [
    'numbers under a filter that finds nothing',
    asked(
      { sum: metricOf('sum', 'payload.number'), max: metricOf('max', 'payload.number') },
      { filter: { any: [] } },
    ),
    { aggregations: { sum: { value: 0 }, max: { value: null } } },
  ],
  [
    'different values',
    asked({ types: valuesOf('type'), users: valuesOf('source.userId') }),
    { aggregations: { types: { value: 4 }, users: { value: 7 } } },
  ],
  [
    'different values by their text',
    asked({ codes: valuesOf('payload.code') }),
    { aggregations: { codes: { value: 4 } } },
  ],
  [
    'different values within lists',
    asked({ tags: valuesOf('payload.tags'), skus: valuesOf('payload.items.sku') }),
    { aggregations: { tags: { value: 4 }, skus: { value: 2 } } },
  ],
  [
    'different values of nothing',
    asked({ gone: valuesOf('payload.gone') }),
    { aggregations: { gone: { value: 0 } } },
  ],
  [
    'numbers in terms',
    asked({
      by: within(termsOf('type'), {
        amount: metricOf('sum', 'payload.amount'),
        users: valuesOf('source.userId'),
        low: metricOf('min', 'payload.score'),
      }),
    }),
    {
      aggregations: {
        by: terms([
          ['app.log', 10, { amount: { value: 525 }, users: { value: 7 }, low: { value: 0.75 } }],
          ['order.created', 10, { amount: { value: 450 }, users: { value: 7 }, low: { value: 1 } }],
          ['order.paid', 10, { amount: { value: 475 }, users: { value: 7 }, low: { value: 0.25 } }],
          ['order.shipped', 10, { amount: { value: 500 }, users: { value: 7 }, low: { value: 0.5 } }],
        ]),
      },
    },
  ],
  [
    'numbers in a term without any',
    asked({
      by: within(termsOf('payload.tags'), {
        slug: valuesOf('source.automationSlug'),
        gone: metricOf('max', 'payload.gone'),
        none: metricOf('sum', 'payload.gone'),
      }),
    }),
    {
      aggregations: {
        by: terms([
          ['green', 14, { slug: { value: 2 }, gone: { value: null }, none: { value: 0 } }],
          ['7', 13, { slug: { value: 1 }, gone: { value: null }, none: { value: 0 } }],
          ['red', 13, { slug: { value: 2 }, gone: { value: null }, none: { value: 0 } }],
          ['blue', 7, { slug: { value: 0 }, gone: { value: null }, none: { value: 0 } }],
        ]),
      },
    },
  ],
]
