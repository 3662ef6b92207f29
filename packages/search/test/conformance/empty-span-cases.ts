import { type AnalysisCase, asked, dates, spansOf } from './case-notation.ts'

/** Spans of time in which nothing happened. */
export const emptySpanCases: readonly AnalysisCase[] = [
  [
    'empty days between',
    asked(
      { by: spansOf('createdAt', { calendar: 'day' }, 0) },
      { filter: { path: 'payload.number', in: [0, 9, 10] } },
    ),
    {
      aggregations: {
        by: dates('2026-03-27T00:00Z 1, 2026-03-28T00:00Z 0, 2026-03-29T00:00Z 0, 2026-03-30T00:00Z 2'),
      },
    },
  ],
  [
    'empty days between in a zone that changes to summer time',
    asked(
      { by: spansOf('createdAt', { calendar: 'day', timeZone: 'Europe/Berlin' }, 0) },
      { filter: { path: 'payload.number', in: [0, 12] } },
    ),
    {
      aggregations: {
        by: dates(
          '2026-03-26T23:00Z 1, 2026-03-27T23:00Z 0, 2026-03-28T23:00Z 0, 2026-03-29T22:00Z 0, 2026-03-30T22:00Z 1',
        ),
      },
    },
  ],
  [
    'empty hours between',
    asked(
      { by: spansOf('createdAt', { calendar: 'hour' }, 0) },
      { filter: { path: 'payload.number', in: [0, 1] } },
    ),
    {
      aggregations: {
        by: dates(
          '2026-03-27T21:00Z 1, 2026-03-27T22:00Z 0, 2026-03-27T23:00Z 0, 2026-03-28T00:00Z 0, ' +
            '2026-03-28T01:00Z 0, 2026-03-28T02:00Z 0, 2026-03-28T03:00Z 0, 2026-03-28T04:00Z 1',
        ),
      },
    },
  ],
  [
    'empty fixed spans between',
    asked(
      { by: spansOf('createdAt', { fixedMs: 21600000 }, 0) },
      { filter: { path: 'payload.number', in: [0, 3] } },
    ),
    {
      aggregations: {
        by: dates(
          '2026-03-27T18:00Z 1, 2026-03-28T00:00Z 0, 2026-03-28T06:00Z 0, 2026-03-28T12:00Z 0, 2026-03-28T18:00Z 1',
        ),
      },
    },
  ],
  [
    'empty months between',
    asked({ by: spansOf('createdAt', { calendar: 'month' }, 0) }),
    { aggregations: { by: dates('2026-03-01T00:00Z 15, 2026-04-01T00:00Z 25') } },
  ],
  [
    'no empty spans where there is nothing',
    asked({ by: spansOf('createdAt', { calendar: 'day' }, 0) }, { filter: { any: [] } }),
    { aggregations: { by: dates([]) } },
  ],
]
