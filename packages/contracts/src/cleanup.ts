import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'

/** Some streams and how many there were; names beyond the first hundred are left out. */
const FoundStreams = z.object({
  found: z.number().int(),
  streams: z.array(z.string()).max(100).describe('The first of them by name.'),
})

/** What a cleanup of the streams has done, or would do. */
export const IndicesReport = z.object({
  indicesWithoutDatastream: FoundStreams.describe('Streams of the index that the event log no longer has.'),
  inactiveDatastreams: FoundStreams.extend({
    result: z.number().int().describe('Events deleted with them.'),
  }).describe('Streams of small workspaces in which nothing happened for long.'),
  emptyIndices: FoundStreams.describe('Streams of the index without an event.'),
  expiredEvents: z.number().int().describe('Events older than EVENTS_RETENTION_DAYS.'),
})
export type IndicesReport = z.infer<typeof IndicesReport>

/** What a cleanup of the executions has done, or would do. */
export const ExecutionsReport = z.object({
  stripped: z
    .number()
    .int()
    .describe('Events of type runtime.automations.executed whose payload and output were removed.'),
})
export type ExecutionsReport = z.infer<typeof ExecutionsReport>

const query = z.strictObject({
  dryRun: z
    .enum(['', 'true', 'false'])
    .default('false')
    .transform((text) => text !== 'false')
    .describe('true, or given without a value: only tells what would be deleted. Otherwise really deletes.'),
})

const outcome = {
  dryRun: z.boolean(),
  done: z.boolean().describe('false: there is more to do, send the same request again.'),
}

const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'ResourceLocked',
  'ServiceUnavailable',
] as const

const nothing = { found: 0, streams: [] }

export const cleanIndices = endpoint({
  id: 'cleanIndices',
  summary:
    'Deletes events that retention no longer keeps: expired ones, streams of small inactive workspaces, ' +
    'leftovers of the index. Some at a time.',
  service: 'events',
  credential: 'internal',
  method: 'post',
  path: '/sys/cleanup/indices',
  query,
  response: IndicesReport.extend(outcome),
  failures,
  example: {
    response: {
      dryRun: false,
      done: true,
      indicesWithoutDatastream: nothing,
      inactiveDatastreams: { found: 1, streams: ['events-k3x9w0a1b2c3d4e5'], result: 12 },
      emptyIndices: nothing,
      expiredEvents: 4200,
    },
  },
})

export const cleanExecutions = endpoint({
  id: 'cleanExecutions',
  summary:
    'Removes payload and output of old runtime.automations.executed events and keeps the rest of them. Some at a time.',
  service: 'events',
  credential: 'internal',
  method: 'post',
  path: '/sys/cleanup/executions',
  query,
  response: z.object({ ...outcome, result: ExecutionsReport }),
  failures,
  example: { response: { dryRun: false, done: true, result: { stripped: 310 } } },
})

export const eventsCleaned = event({
  type: 'events.cleaned',
  emittedWhen: 'A cleanup of events has ended.',
  payload: IndicesReport.extend({
    strippedExecutions: z
      .number()
      .int()
      .optional()
      .describe('Set by the cleanup of executions; the other fields are empty then.'),
  }),
})
