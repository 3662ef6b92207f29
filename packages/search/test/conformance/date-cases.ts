import { type AnalysisCase, asked, dates, spansOf } from './case-notation.ts'

/** Spans of time. */
export const dateCases: readonly AnalysisCase[] = [
  [
    'days in UTC',
    asked(
      { by: spansOf('createdAt', { calendar: 'day' }) },
      { filter: { path: 'payload.number', below: 12 } },
    ),
    {
      aggregations: {
        by: dates(
          '2026-03-27T00:00Z 1, 2026-03-28T00:00Z 3, 2026-03-29T00:00Z 4, 2026-03-30T00:00Z 3, 2026-03-31T00:00Z 1',
        ),
      },
    },
  ],
  [
    'days in a zone that changes to summer time',
    asked(
      { by: spansOf('createdAt', { calendar: 'day', timeZone: 'Europe/Berlin' }) },
      { filter: { path: 'payload.number', below: 12 } },
    ),
    {
      aggregations: {
        by: dates(
          '2026-03-26T23:00Z 1, 2026-03-27T23:00Z 3, 2026-03-28T23:00Z 3, 2026-03-29T22:00Z 4, 2026-03-30T22:00Z 1',
        ),
      },
    },
  ],
  [
    'days east of Greenwich by offset',
    asked(
      { by: spansOf('createdAt', { calendar: 'day', timeZone: '+09:00' }) },
      { filter: { path: 'payload.number', below: 12 } },
    ),
    {
      aggregations: {
        by: dates('2026-03-27T15:00Z 3, 2026-03-28T15:00Z 3, 2026-03-29T15:00Z 4, 2026-03-30T15:00Z 2'),
      },
    },
  ],
  [
    'days west of Greenwich by offset',
    asked(
      { by: spansOf('createdAt', { calendar: 'day', timeZone: '-03:30' }) },
      { filter: { path: 'payload.number', below: 12 } },
    ),
    {
      aggregations: {
        by: dates('2026-03-27T03:30Z 1, 2026-03-28T03:30Z 4, 2026-03-29T03:30Z 3, 2026-03-30T03:30Z 4'),
      },
    },
  ],
  [
    'weeks begin on Monday',
    asked({ by: spansOf('createdAt', { calendar: 'week' }) }),
    { aggregations: { by: dates('2026-03-23T00:00Z 8, 2026-03-30T00:00Z 24, 2026-04-06T00:00Z 8') } },
  ],
  [
    'weeks in a zone',
    asked({ by: spansOf('createdAt', { calendar: 'week', timeZone: 'America/New_York' }) }),
    { aggregations: { by: dates('2026-03-23T04:00Z 8, 2026-03-30T04:00Z 24, 2026-04-06T04:00Z 8') } },
  ],
  [
    'months',
    asked({ by: spansOf('createdAt', { calendar: 'month' }) }),
    { aggregations: { by: dates('2026-03-01T00:00Z 15, 2026-04-01T00:00Z 25') } },
  ],
  [
    'months in a zone',
    asked({ by: spansOf('createdAt', { calendar: 'month', timeZone: 'Europe/Berlin' }) }),
    { aggregations: { by: dates('2026-02-28T23:00Z 14, 2026-03-31T22:00Z 26') } },
  ],
  [
    'quarters',
    asked({ by: spansOf('createdAt', { calendar: 'quarter', timeZone: 'Europe/Berlin' }) }),
    { aggregations: { by: dates('2025-12-31T23:00Z 14, 2026-03-31T22:00Z 26') } },
  ],
  [
    'years',
    asked({ by: spansOf('createdAt', { calendar: 'year' }) }),
    { aggregations: { by: dates('2026-01-01T00:00Z 40') } },
  ],
  [
    'hours',
    asked(
      { by: spansOf('createdAt', { calendar: 'hour' }) },
      { filter: { path: 'payload.number', below: 3 } },
    ),
    { aggregations: { by: dates('2026-03-27T21:00Z 1, 2026-03-28T04:00Z 1, 2026-03-28T11:00Z 1') } },
  ],
  [
    'hours of a zone that is half an hour off',
    asked(
      { by: spansOf('createdAt', { calendar: 'hour', timeZone: 'Asia/Kolkata' }) },
      { filter: { path: 'payload.number', below: 3 } },
    ),
    { aggregations: { by: dates('2026-03-27T21:30Z 1, 2026-03-28T04:30Z 1, 2026-03-28T11:30Z 1') } },
  ],
  [
    'minutes',
    asked(
      { by: spansOf('createdAt', { calendar: 'minute' }) },
      { filter: { path: 'payload.number', below: 2 } },
    ),
    { aggregations: { by: dates('2026-03-27T21:30Z 1, 2026-03-28T04:30Z 1') } },
  ],
  [
    'spans of a fixed length',
    asked(
      { by: spansOf('createdAt', { fixedMs: 43200000 }) },
      { filter: { path: 'payload.number', below: 12 } },
    ),
    {
      aggregations: {
        by: dates(
          '2026-03-27T12:00Z 1, 2026-03-28T00:00Z 2, 2026-03-28T12:00Z 1, 2026-03-29T00:00Z 2, ' +
            '2026-03-29T12:00Z 2, 2026-03-30T00:00Z 1, 2026-03-30T12:00Z 2, 2026-03-31T00:00Z 1',
        ),
      },
    },
  ],
  [
    'spans of seven days begin on Thursdays',
    asked({ by: spansOf('createdAt', { fixedMs: 604800000 }) }),
    { aggregations: { by: dates('2026-03-26T00:00Z 18, 2026-04-02T00:00Z 22') } },
  ],
]
