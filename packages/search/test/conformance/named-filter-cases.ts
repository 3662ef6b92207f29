import {
  type AnalysisCase,
  asked,
  filters,
  metricOf,
  terms,
  termsOf,
  valuesOf,
  within,
} from './case-notation.ts'

/** Named filters. */
export const namedFilterCases: readonly AnalysisCase[] = [
  [
    'filters by name',
    asked({
      by: {
        filters: {
          early: { path: 'payload.number', below: 10 },
          german: { path: 'payload.country', in: ['DE'] },
          none: { any: [] },
        },
      },
    }),
    { aggregations: { by: filters({ early: [10], german: [16], none: [0] }) } },
  ],
  [
    'filters that overlap',
    asked({ by: { filters: { a: { text: 'ada' }, b: { text: 'ada order' }, c: { not: { text: 'ada' } } } } }),
    { aggregations: { by: filters({ a: [14], b: [10], c: [26] }) } },
  ],
  [
    'numbers in filters',
    asked({
      by: within(
        { filters: { paid: { path: 'type', in: ['order.paid'] }, none: { any: [] } } },
        {
          amount: metricOf('sum', 'payload.amount'),
          avg: metricOf('avg', 'payload.amount'),
          users: valuesOf('source.userId'),
          by: termsOf('type'),
        },
      ),
    }),
    {
      aggregations: {
        by: filters({
          paid: [
            10,
            { amount: { value: 475 }, avg: { value: 47.5 }, users: { value: 7 }, by: terms('order.paid 10') },
          ],
          none: [0, { amount: { value: 0 }, avg: { value: null }, users: { value: 0 }, by: terms([]) }],
        }),
      },
    },
  ],
  [
    'filters in terms',
    asked({
      by: within(termsOf('type', 2), {
        vip: {
          filters: {
            yes: { path: 'payload.customer.vip', in: [true] },
            no: { path: 'payload.customer.vip', in: [false] },
          },
        },
      }),
    }),
    {
      aggregations: {
        by: terms(
          [
            ['app.log', 10, { vip: filters({ yes: [0], no: [10] }) }],
            ['order.created', 10, { vip: filters({ yes: [2], no: [8] }) }],
          ],
          20,
        ),
      },
    },
  ],
  [
    'filters in filters',
    asked({
      by: within(
        { filters: { late: { path: 'payload.number', atLeast: 30 } } },
        { and: { filters: { vip: { path: 'payload.customer.vip', in: [true] } } } },
      ),
    }),
    { aggregations: { by: filters({ late: [10, { and: filters({ vip: [1] }) }] }) } },
  ],
  [
    'filters by dates',
    asked({
      by: {
        filters: {
          march: { path: 'createdAt', below: '2026-04-01' },
          april: { path: 'createdAt', atLeast: '2026-04-01' },
        },
      },
    }),
    { aggregations: { by: filters({ march: [15], april: [25] }) } },
  ],
]
