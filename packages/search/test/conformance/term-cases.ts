import { type AnalysisCase, asked, terms, termsOf, within } from './case-notation.ts'

/** Terms, alone and within each other. */
export const termCases: readonly AnalysisCase[] = [
  [
    'terms by count, then by key',
    asked({ by: termsOf('type') }),
    { aggregations: { by: terms('app.log 10, order.created 10, order.paid 10, order.shipped 10') } },
  ],
  [
    'terms cut off count the others',
    asked({ by: termsOf('payload.country', 2) }),
    { aggregations: { by: terms('DE 16, FR 8', 16) } },
  ],
  [
    'terms by key, by code points',
    asked({ by: termsOf('payload.country', 10, 'key') }),
    { aggregations: { by: terms('DE 16, FR 8, US 8, Österreich 8') } },
  ],
  [
    'terms by key, cut off',
    asked({ by: termsOf('payload.country', 1, 'key') }),
    { aggregations: { by: terms('DE 16', 24) } },
  ],
  [
    'terms of a list count a document once for each value',
    asked({ by: termsOf('payload.tags') }),
    { aggregations: { by: terms('green 14, 7 13, red 13, blue 7') } },
  ],
  [
    'terms of fields of elements of a list',
    asked({ by: termsOf('payload.items.sku') }),
    { aggregations: { by: terms('sku-0 26, sku-1 13') } },
  ],
  [
    'terms of a nested field',
    asked({ by: termsOf('payload.customer.name') }),
    { aggregations: { by: terms('Ada Lovelace 14, Alan Turing 13, Grace Hopper 13') } },
  ],
  [
    'terms tell values apart by their text',
    asked({ by: termsOf('payload.code') }),
    { aggregations: { by: terms('1 14, A-1 7, true 7, a-1 6') } },
  ],
  [
    'terms of numbers are their texts',
    asked({ by: termsOf('source.automationDepth', 10, 'key') }),
    { aggregations: { by: terms('0 14, 1 13, 2 13') } },
  ],
  [
    'terms of booleans',
    asked({ by: termsOf('payload.customer.vip') }),
    { aggregations: { by: terms('false 36, true 4') } },
  ],
  [
    'terms of a field that few have',
    asked({ by: termsOf('source.automationSlug', 3, 'key') }),
    { aggregations: { by: terms('slug-0 1, slug-16 1, slug-24 1', 2) } },
  ],
  [
    'terms of a key with a dot',
    asked({ by: termsOf('payload.dotted\\.key', 10, 'key') }),
    { aggregations: { by: terms('dot-0 1, dot-18 1, dot-27 1, dot-36 1, dot-9 1') } },
  ],
  [
    'terms of a field that none has',
    asked({ by: termsOf('payload.gone') }),
    { aggregations: { by: terms([]) } },
  ],
  ['terms of an object', asked({ by: termsOf('payload.customer') }), { aggregations: { by: terms([]) } }],
  [
    'terms under a filter',
    asked({ by: termsOf('payload.country') }, { filter: { path: 'type', in: ['app.log'] } }),
    { aggregations: { by: terms('DE 4, FR 2, US 2, Österreich 2') } },
  ],
  [
    'terms under a filter that finds nothing',
    asked({ by: termsOf('type') }, { filter: { any: [] } }),
    { aggregations: { by: terms([]) } },
  ],
  [
    'terms of correlations',
    asked({ by: termsOf('source.correlationId', 3) }),
    { aggregations: { by: terms('trace-0 4, trace-1 4, trace-2 4', 28) } },
  ],
  [
    'terms beside each other',
    asked({ types: termsOf('type', 1), users: termsOf('source.userId', 2) }),
    { aggregations: { types: terms('app.log 10', 30), users: terms('user-0 6, user-1 6', 28) } },
  ],
  [
    'terms in terms',
    asked({ by: within(termsOf('type', 2), { country: termsOf('payload.country', 2) }) }),
    {
      aggregations: {
        by: terms(
          [
            ['app.log', 10, { country: terms('DE 4, FR 2', 4) }],
            ['order.created', 10, { country: terms('DE 4, FR 2', 4) }],
          ],
          20,
        ),
      },
    },
  ],
  [
    'terms in terms in terms',
    asked({
      by: within(termsOf('type', 1), {
        user: within(termsOf('source.userId', 2), { country: termsOf('payload.country', 1) }),
      }),
    }),
    {
      aggregations: {
        by: terms(
          [
            [
              'app.log',
              10,
              {
                user: terms(
                  [
                    ['user-0', 2, { country: terms('DE 1', 1) }],
                    ['user-3', 2, { country: terms('DE 1', 1) }],
                  ],
                  6,
                ),
              },
            ],
          ],
          30,
        ),
      },
    },
  ],
  [
    'terms beside each other in terms',
    asked({
      by: within(termsOf('payload.customer.vip'), {
        type: termsOf('type', 1),
        sku: termsOf('payload.items.sku'),
      }),
    }),
    {
      aggregations: {
        by: terms([
          ['false', 36, { type: terms('app.log 10', 26), sku: terms('sku-0 24, sku-1 12') }],
          ['true', 4, { type: terms('order.created 2', 2), sku: terms('sku-0 2, sku-1 1') }],
        ]),
      },
    },
  ],
  [
    'five levels of terms',
    asked({
      a: within(termsOf('type', 1), {
        b: within(termsOf('payload.customer.name', 1), {
          c: within(termsOf('payload.country', 1), {
            d: within(termsOf('source.automationDepth', 1), { e: termsOf('payload.code', 1) }),
          }),
        }),
      }),
    }),
    {
      aggregations: {
        a: terms(
          [
            [
              'app.log',
              10,
              {
                b: terms(
                  [
                    [
                      'Ada Lovelace',
                      4,
                      { c: terms([['DE', 2, { d: terms([['0', 2, { e: terms('true 2') }]]) }]], 2) },
                    ],
                  ],
                  6,
                ),
              },
            ],
          ],
          30,
        ),
      },
    },
  ],
  [
    'terms and the total',
    asked(
      { by: termsOf('type', 1) },
      { countAll: true, filter: { path: 'source.automationDepth', in: [2] } },
    ),
    { aggregations: { by: terms('order.shipped 4', 9) }, total: 13 },
  ],
]
