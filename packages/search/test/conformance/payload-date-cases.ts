import {
  type AnalysisCase,
  asked,
  at,
  dates,
  filters,
  metricOf,
  spansOf,
  terms,
  termsOf,
  within,
} from './case-notation.ts'

/** Dates in payloads, and spans of time above and below other buckets. */
export const payloadDateCases: readonly AnalysisCase[] = [
  [
    'dates in a payload, with offsets and without a time',
    asked({ by: spansOf('payload.paidAt', { calendar: 'day' }) }),
    { aggregations: { by: dates('2026-03-31T00:00Z 3, 2026-04-02T00:00Z 3') } },
  ],
  [
    'dates in a payload in a zone',
    asked({ by: spansOf('payload.paidAt', { calendar: 'day', timeZone: 'Europe/Berlin' }) }),
    { aggregations: { by: dates('2026-03-31T22:00Z 3, 2026-04-01T22:00Z 3') } },
  ],
  [
    'no dates among other texts and numbers',
    asked({
      name: spansOf('payload.customer.name', { calendar: 'day' }),
      number: spansOf('payload.number', { calendar: 'day' }),
    }),
    { aggregations: { name: dates([]), number: dates([]) } },
  ],
  [
    'numbers in days',
    asked({
      by: within(spansOf('createdAt', { calendar: 'week' }), {
        amount: metricOf('sum', 'payload.amount'),
        best: metricOf('max', 'payload.score'),
      }),
    }),
    {
      aggregations: {
        by: dates([
          [at('2026-03-23T00:00Z'), 8, { amount: { value: 70 }, best: { value: 1.75 } }],
          [at('2026-03-30T00:00Z'), 24, { amount: { value: 1170 }, best: { value: 7.75 } }],
          [at('2026-04-06T00:00Z'), 8, { amount: { value: 710 }, best: { value: 9.75 } }],
        ]),
      },
    },
  ],
  [
    'terms in empty days',
    asked(
      {
        by: within(spansOf('createdAt', { calendar: 'day' }, 0), {
          type: termsOf('type'),
          vip: { filters: { yes: { path: 'payload.customer.vip', in: [true] } } },
        }),
      },
      { filter: { path: 'payload.number', in: [0, 5] } },
    ),
    {
      aggregations: {
        by: dates([
          [at('2026-03-27T00:00Z'), 1, { type: terms('order.created 1'), vip: filters({ yes: [1] }) }],
          [at('2026-03-28T00:00Z'), 0, { type: terms([]), vip: filters({ yes: [0] }) }],
          [at('2026-03-29T00:00Z'), 1, { type: terms('order.paid 1'), vip: filters({ yes: [0] }) }],
        ]),
      },
    },
  ],
  [
    'days in terms',
    asked({
      by: within(termsOf('payload.country', 2), { week: spansOf('createdAt', { calendar: 'week' }) }),
    }),
    {
      aggregations: {
        by: terms(
          [
            ['DE', 16, { week: dates('2026-03-23T00:00Z 3, 2026-03-30T00:00Z 10, 2026-04-06T00:00Z 3') }],
            ['FR', 8, { week: dates('2026-03-23T00:00Z 2, 2026-03-30T00:00Z 5, 2026-04-06T00:00Z 1') }],
          ],
          16,
        ),
      },
    },
  ],
  [
    'empty weeks between, for each term apart',
    asked({
      by: within(termsOf('source.automationSlug', 5, 'key'), {
        week: spansOf('createdAt', { calendar: 'week' }, 0),
      }),
    }),
    {
      aggregations: {
        by: terms([
          ['slug-0', 1, { week: dates('2026-03-23T00:00Z 1') }],
          ['slug-16', 1, { week: dates('2026-03-30T00:00Z 1') }],
          ['slug-24', 1, { week: dates('2026-03-30T00:00Z 1') }],
          ['slug-32', 1, { week: dates('2026-04-06T00:00Z 1') }],
          ['slug-8', 1, { week: dates('2026-03-30T00:00Z 1') }],
        ]),
      },
    },
  ],
]
