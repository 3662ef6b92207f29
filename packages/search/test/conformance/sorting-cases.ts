import { type AnalysisCase, asked, terms, termsOf } from './case-notation.ts'

/** The documents of an answer: their order, their pages, how many there are. */
export const sortingCases: readonly AnalysisCase[] = [
  ['counts all', asked({}, { countAll: true }), { total: 40 }],
  [
    'counts all under a filter',
    asked({}, { countAll: true, filter: { path: 'payload.country', in: ['DE'] } }),
    { total: 16 },
  ],
  ['newest first where nothing is sorted', asked({}, { limit: 3 }), { numbers: [39, 38, 37] }],
  ['from an offset on', asked({}, { limit: 3, offset: 10 }), { numbers: [29, 28, 27] }],
  ['beyond the end', asked({}, { limit: 3, offset: 39 }), { numbers: [0] }],
  [
    'from an offset on, under a filter',
    asked({}, { limit: 3, offset: 2, filter: { path: 'type', in: ['app.log'] } }),
    { numbers: [31, 27, 23] },
  ],
  [
    'by time, oldest first',
    asked({}, { limit: 3, sort: [{ path: 'createdAt', order: 'asc' }] }),
    { numbers: [0, 1, 2] },
  ],
  [
    'by time, newest first',
    asked({}, { limit: 2, sort: [{ path: 'createdAt', order: 'desc' }] }),
    { numbers: [39, 38] },
  ],
  [
    'by type, newest first within',
    asked({}, { limit: 12, sort: [{ path: 'type', order: 'asc' }] }),
    { numbers: [39, 35, 31, 27, 23, 19, 15, 11, 7, 3, 36, 32] },
  ],
  [
    'by type, then by time',
    asked(
      {},
      {
        limit: 4,
        sort: [
          { path: 'type', order: 'desc' },
          { path: 'createdAt', order: 'asc' },
        ],
      },
    ),
    { numbers: [2, 6, 10, 14] },
  ],
  [
    'by size, as numbers',
    asked({}, { limit: 12, sort: [{ path: 'size', order: 'desc' }] }),
    { numbers: [39, 35, 31, 27, 23, 19, 15, 11, 7, 3, 38, 34] },
  ],
  [
    'by size, then by type and time',
    asked(
      {},
      {
        limit: 3,
        offset: 9,
        sort: [
          { path: 'size', order: 'asc' },
          { path: 'createdAt', order: 'asc' },
        ],
      },
    ),
    { numbers: [36, 1, 5] },
  ],
  [
    'by a field of the source, without it last',
    asked({}, { limit: 7, sort: [{ path: 'source.automationSlug', order: 'asc' }] }),
    { numbers: [0, 16, 24, 32, 8, 39, 38] },
  ],
  [
    'by a field of the source backwards, without it last',
    asked({}, { limit: 7, sort: [{ path: 'source.automationSlug', order: 'desc' }] }),
    { numbers: [8, 32, 24, 16, 0, 39, 38] },
  ],
  [
    'by a number of the source',
    asked(
      {},
      {
        limit: 3,
        offset: 12,
        sort: [
          { path: 'source.automationDepth', order: 'asc' },
          { path: 'createdAt', order: 'desc' },
        ],
      },
    ),
    { numbers: [3, 0, 37] },
  ],
  [
    'documents, numbers and the total at once',
    asked(
      { by: termsOf('type', 1) },
      { limit: 2, offset: 1, countAll: true, sort: [{ path: 'createdAt', order: 'asc' }] },
    ),
    { numbers: [1, 2], aggregations: { by: terms('app.log 10', 30) }, total: 40 },
  ],
]
