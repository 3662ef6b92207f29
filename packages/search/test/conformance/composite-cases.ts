import {
  type AnalysisCase,
  asked,
  at,
  by,
  bySpan,
  combinations,
  combinationsOf,
  metricOf,
  terms,
  termsOf,
  within,
} from './case-notation.ts'

/** Combinations of values, page by page. */
export const compositeCases: readonly AnalysisCase[] = [
  [
    'all combinations',
    asked({ by: combinationsOf([by('type', 'type'), by('depth', 'source.automationDepth')]) }),
    {
      aggregations: {
        by: combinations(
          ['type', 'depth'],
          'app.log + 0 4, app.log + 1 3, app.log + 2 3, order.created + 0 4, order.created + 1 3, ' +
            'order.created + 2 3, order.paid + 0 3, order.paid + 1 4, order.paid + 2 3, order.shipped + 0 3, ' +
            'order.shipped + 1 3, order.shipped + 2 4',
        ),
      },
    },
  ],
  [
    'a first page of combinations',
    asked({ by: combinationsOf([by('type', 'type'), by('country', 'payload.country')], 3) }),
    {
      aggregations: {
        by: combinations(['type', 'country'], 'app.log + DE 4, app.log + FR 2, app.log + US 2'),
      },
    },
  ],
  [
    'the next page of combinations',
    asked({
      by: combinationsOf([by('type', 'type'), by('country', 'payload.country')], 3, {
        type: 'app.log',
        country: 'US',
      }),
    }),
    {
      aggregations: {
        by: combinations(
          ['type', 'country'],
          'app.log + Österreich 2, order.created + DE 4, order.created + FR 2',
        ),
      },
    },
  ],
  [
    'the page after the last',
    asked({ by: combinationsOf([by('type', 'type')], 3, { type: 'order.shipped' }) }),
    { aggregations: { by: combinations([], []) } },
  ],
  [
    'combinations backwards',
    asked({ by: combinationsOf([by('country', 'payload.country', 'desc')]) }),
    { aggregations: { by: combinations(['country'], 'Österreich 8, US 8, FR 8, DE 16') } },
  ],
  [
    'combinations in both directions',
    asked({ by: combinationsOf([by('vip', 'payload.customer.vip', 'desc'), by('type', 'type')], 4) }),
    {
      aggregations: {
        by: combinations(
          ['vip', 'type'],
          'true + order.created 2, true + order.shipped 2, false + app.log 10, false + order.created 8',
        ),
      },
    },
  ],
  [
    'the next page in both directions',
    asked({
      by: combinationsOf([by('vip', 'payload.customer.vip', 'desc'), by('type', 'type')], 4, {
        vip: 'true',
        type: 'order.created',
      }),
    }),
    {
      aggregations: {
        by: combinations(
          ['vip', 'type'],
          'true + order.shipped 2, false + app.log 10, false + order.created 8, false + order.paid 10',
        ),
      },
    },
  ],
  [
    'combinations of lists',
    asked({ by: combinationsOf([by('tag', 'payload.tags'), by('sku', 'payload.items.sku')]) }),
    {
      aggregations: {
        by: combinations(['tag', 'sku'], '7 + sku-0 6, green + sku-0 7, red + sku-0 6, red + sku-1 6'),
      },
    },
  ],
  [
    'combinations leave out documents without a value',
    asked({ by: combinationsOf([by('slug', 'source.automationSlug'), by('type', 'type')]) }),
    {
      aggregations: {
        by: combinations(
          ['slug', 'type'],
          'slug-0 + order.created 1, slug-16 + order.created 1, slug-24 + order.created 1, ' +
            'slug-32 + order.created 1, slug-8 + order.created 1',
        ),
      },
    },
  ],
  [
    'combinations with dates',
    asked({
      by: combinationsOf([
        bySpan('month', 'createdAt', { calendar: 'month', timeZone: 'Europe/Berlin' }),
        by('type', 'type'),
      ]),
    }),
    {
      aggregations: {
        by: combinations(
          ['month', 'type'],
          '2026-02-28T23:00Z + app.log 3, 2026-02-28T23:00Z + order.created 4, ' +
            '2026-02-28T23:00Z + order.paid 4, 2026-02-28T23:00Z + order.shipped 3, ' +
            '2026-03-31T22:00Z + app.log 7, 2026-03-31T22:00Z + order.created 6, ' +
            '2026-03-31T22:00Z + order.paid 6, 2026-03-31T22:00Z + order.shipped 7',
        ),
      },
    },
  ],
  [
    'combinations with dates backwards',
    asked({ by: combinationsOf([bySpan('week', 'createdAt', { calendar: 'week' }, 'desc')]) }),
    {
      aggregations: {
        by: combinations(['week'], '2026-04-06T00:00Z 8, 2026-03-30T00:00Z 24, 2026-03-23T00:00Z 8'),
      },
    },
  ],
  [
    'the next page of dates',
    asked({
      by: combinationsOf([bySpan('day', 'createdAt', { calendar: 'day' })], 3, {
        day: at('2026-04-04T00:00Z'),
      }),
    }),
    {
      aggregations: {
        by: combinations(['day'], '2026-04-05T00:00Z 4, 2026-04-06T00:00Z 3, 2026-04-07T00:00Z 4'),
      },
    },
  ],
  [
    'numbers in combinations',
    asked({
      by: within(combinationsOf([by('type', 'type')], 2), {
        amount: metricOf('sum', 'payload.amount'),
        depth: termsOf('source.automationDepth', 1),
      }),
    }),
    {
      aggregations: {
        by: combinations(
          ['type'],
          [
            ['app.log', 10, { amount: { value: 525 }, depth: terms('0 4', 6) }],
            ['order.created', 10, { amount: { value: 450 }, depth: terms('0 4', 6) }],
          ],
        ),
      },
    },
  ],
  [
    'combinations of nothing',
    asked({ by: combinationsOf([by('gone', 'payload.gone')]) }),
    { aggregations: { by: combinations([], []) } },
  ],
]
