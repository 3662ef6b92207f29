import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleInstant } from './example-values.ts'

const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'ServiceUnavailable',
] as const

/** How the index that answers feed and search stands to the log it is made of. */
export const EventIndex = z.object({
  driver: z.string().describe('postgres where there is only the log.'),
  stage: z
    .enum(['none', 'waiting', 'emptying', 'building', 'comparing', 'ready'])
    .describe('none: no index is configured; waiting: it has not been reached yet.'),
  answeredBy: z.enum(['index', 'log']).describe('Where feed and search are answered from now.'),
  progress: z
    .object({ copied: z.number().int(), total: z.number().int() })
    .nullable()
    .describe('Documents of the last build.'),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  behind: z
    .object({
      events: z.number().int().describe('At most: sequences of the log have gaps.'),
      seconds: z.number().describe('Age of the oldest.'),
    })
    .nullable()
    .describe('Events of the log that are yet to be indexed.'),
  rebuilding: z
    .array(z.object({ stream: z.string(), copied: z.number().int() }))
    .describe('Streams that are built again, at most 100.'),
  shards: z
    .object({ used: z.number().int(), max: z.number().int() })
    .nullable()
    .describe('Null where it is not known.'),
  deadLetters: z.number().int().describe('Events that the index has refused.'),
})
export type EventIndex = z.infer<typeof EventIndex>

const exampleIndex: EventIndex = {
  driver: 'opensearch',
  stage: 'ready',
  answeredBy: 'index',
  progress: { copied: 120_000, total: 120_000 },
  startedAt: exampleInstant,
  finishedAt: exampleInstant,
  behind: { events: 0, seconds: 0 },
  rebuilding: [],
  shards: { used: 42, max: 1000 },
  deadLetters: 0,
}

const reindexQuery = z.strictObject({
  workspace: z
    .string()
    .regex(/^[\w-]{1,100}$/, 'must be the id of a workspace')
    .optional()
    .describe('Only its events; all without it.'),
})

export const getEventIndex = endpoint({
  id: 'getEventIndex',
  summary: 'How far the search index of the events is built, how far it is behind and what it refused.',
  service: 'events',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/events/index',
  response: EventIndex,
  failures,
  example: { response: exampleIndex },
})

export const reindexEvents = endpoint({
  id: 'reindexEvents',
  summary:
    'Empties the search index, or the part of one workspace, and builds it again from the log, which answers ' +
    'meanwhile. Answers at once; `GET /v2/platform/events/index` shows the progress.',
  service: 'events',
  credential: 'required',
  caller: 'superAdmin',
  method: 'post',
  path: '/v2/platform/events/reindex',
  query: reindexQuery,
  response: EventIndex,
  failures: [...failures, 'InvalidArgumentsError'],
  example: { response: { ...exampleIndex, stage: 'emptying', answeredBy: 'log' } },
})

export const showIndexState = endpoint({
  id: 'showIndexState',
  summary: 'The same as `GET /v2/platform/events/index`, of the service itself.',
  service: 'events',
  credential: 'internal',
  method: 'get',
  path: '/sys/events/index',
  response: EventIndex,
  failures: ['AuthenticationError', 'ServiceUnavailable'],
})

export const requestReindex = endpoint({
  id: 'requestReindex',
  summary: 'The same as `POST /v2/platform/events/reindex`, of the service itself.',
  service: 'events',
  credential: 'internal',
  method: 'post',
  path: '/sys/events/reindex',
  query: reindexQuery,
  response: EventIndex,
  failures: ['RequestValidationError', 'AuthenticationError', 'InvalidArgumentsError', 'ServiceUnavailable'],
})

/** An event that a group of consumers gave up, and why. */
export const EventDeadLetter = z.object({
  group: z.string().describe('Who gave it up, for example index.'),
  eventId: z.string(),
  type: z.string().nullable().describe('Null where what came was no event.'),
  workspaceId: z.string().nullable(),
  reason: z.string(),
  at: z.iso.datetime(),
  replaying: z.boolean().describe('True while its group has yet to try it again.'),
})
export type EventDeadLetter = z.infer<typeof EventDeadLetter>

const group = z.string().regex(/^[\w.-]{1,100}$/, 'must be the name of a group')

export const listDeadLetters = endpoint({
  id: 'listDeadLetters',
  summary: 'Events that a group of consumers gave up, in the order they were kept.',
  service: 'events',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/events/dead-letters',
  query: z.strictObject({
    group: group.optional().describe('Only those of this group.'),
    after: z
      .string()
      .regex(/^\d{1,15}$/, 'must be `next` of the page before')
      .transform(Number)
      .optional(),
    limit: z
      .string()
      .regex(/^\d{1,3}$/, 'must be a whole number')
      .transform(Number)
      .refine((n) => n >= 1 && n <= 200, 'must be 1 to 200')
      .default(50),
  }),
  response: z.object({
    deadLetters: z.array(EventDeadLetter),
    next: z.number().int().nullable().describe('Where the next page begins; null on the last.'),
  }),
  failures,
  example: {
    response: {
      deadLetters: [
        {
          group: 'index',
          eventId: exampleId,
          type: 'order.placed',
          workspaceId: 'k3x9w0a1b2c3d4e5',
          reason: 'mapper_parsing_exception: failed to parse',
          at: exampleInstant,
          replaying: false,
        },
      ],
      next: null,
    },
  },
})

export const replayDeadLetters = endpoint({
  id: 'replayDeadLetters',
  summary:
    'Has a group handle again an event that it gave up, or all of them; what fails again becomes a dead letter again.',
  service: 'events',
  credential: 'required',
  caller: 'superAdmin',
  method: 'post',
  path: '/v2/platform/events/dead-letters/replay',
  body: z.strictObject({
    group,
    eventId: z.string().min(1).max(200).optional().describe('Only this one; all of the group without it.'),
  }),
  response: z.object({ replayed: z.number().int() }),
  failures: [...failures, 'ObjectNotFoundError'],
  example: { request: { group: 'index' }, response: { replayed: 3 } },
})
