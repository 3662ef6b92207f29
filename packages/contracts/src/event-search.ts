import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleEvent } from './example-values.ts'
import { limits } from './limits.ts'

const AnyRecord = z.record(z.string(), z.unknown())

/**
 * A search in the safe subset of the Elasticsearch query language. Clauses and aggregations are parsed where the
 * search is answered:
 * `query` takes bool, term, terms, range, exists, prefix, match, match_all, match_none, wildcard and ids; `aggs`
 * takes terms, date_histogram, filters, composite, cardinality, sum, avg, min and max.
 */
export const EventSearch = z.strictObject({
  scope: z.literal('events').optional(),
  limit: z
    .number()
    .int()
    .min(0)
    .max(limits.pageMax)
    .default(limits.pageMax)
    .describe('Documents of a page; 0 for aggregations alone.'),
  page: z
    .number()
    .int()
    .min(0)
    .max(limits.searchDepth)
    .default(0)
    .describe('Page, counted from 0; a search reaches 10,000 documents deep.'),
  query: AnyRecord.optional().describe(
    'One clause: bool, term, terms, range, exists, prefix, match, match_all, match_none, wildcard or ids, ' +
      'nested at most 5 levels.',
  ),
  aggs: AnyRecord.optional().describe('Aggregations by name; needs the right aggregate_search.'),
  aggregations: AnyRecord.optional().describe('Another name of aggs.'),
  runtime_mappings: AnyRecord.optional().describe('Not available: only an empty object is taken.'),
  source: z
    .array(z.string().min(1).max(1000))
    .max(100)
    .optional()
    .describe('Fields of the documents to answer, for example payload.order; all of them without it.'),
  sort: z
    .array(AnyRecord)
    .max(5)
    .optional()
    .describe('[{"createdAt": "asc"}]: by createdAt, type, size or a source field; newest first without it.'),
  track_total_hits: z.boolean().optional().describe('Answers `total`, the number of all that is found.'),
})
export type EventSearch = z.output<typeof EventSearch>

const EventSearchAnswer = z.object({
  size: z.number().describe('How many documents this answer has.'),
  documents: z.array(AnyRecord),
  aggs: AnyRecord.describe('As Elasticsearch shapes aggregations; empty when none was asked for.'),
  total: z.number().optional(),
})
export type EventSearchAnswer = z.output<typeof EventSearchAnswer>

const example = {
  request: {
    query: {
      bool: { filter: [{ term: { type: 'order.placed' } }, { range: { createdAt: { gte: 'now-7d/d' } } }] },
    },
    aggs: { days: { date_histogram: { field: 'createdAt', calendar_interval: 'day' } } },
    limit: 1,
  },
  response: {
    size: 1,
    documents: [exampleEvent],
    aggs: {
      days: {
        buckets: [{ key: 1795219200000, key_as_string: '2026-11-21T00:00:00.000Z', doc_count: 1 }],
      },
    },
  },
}

export const searchEvents = endpoint({
  id: 'searchEvents',
  summary: 'Finds and counts events of a workspace; aggregations need the right aggregate_search.',
  service: 'events',
  credential: 'required',
  scope: 'events:read',
  permission: { action: 'read', on: 'events' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/search',
  body: EventSearch,
  response: EventSearchAnswer,
  limits: ['eventSearch'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'ObjectNotFoundError',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example,
})

export const searchAllEvents = endpoint({
  id: 'searchAllEvents',
  summary: 'Finds and counts events of all workspaces and of the platform itself, for super administrators.',
  service: 'events',
  credential: 'required',
  caller: 'superAdmin',
  scope: 'events:read',
  method: 'post',
  path: '/v2/search',
  body: EventSearch,
  response: EventSearchAnswer,
  limits: ['eventSearch'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example,
})
