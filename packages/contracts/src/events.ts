import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleEvent, exampleInstant } from './example-values.ts'
import { limits } from './limits.ts'
import { eventPaging } from './paging.ts'

export const EventType = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[a-zA-Z0-9 ._-]+$/, 'must be characters of [a-zA-Z0-9 ._-]')

/**
 * The audience of an event: it is for those named, for whoever emitted it and for owners; API keys and webhooks never
 * get it.
 */
export const EventTarget = z.strictObject({
  userTopic: z.string().max(200).optional(),
  userId: z.string().max(200).optional(),
  sessionId: z.string().max(200).optional(),
  currentSocket: z.boolean().optional(),
})
export type EventTarget = z.infer<typeof EventTarget>

export const EventOptions = z.strictObject({
  persist: z.boolean().optional().describe('false: seen live only, not kept.'),
  aggPayload: z.boolean().optional(),
  async: z.boolean().optional(),
})
export type EventOptions = z.infer<typeof EventOptions>

export const EventInput = z.strictObject({
  id: z
    .uuidv7()
    .toLowerCase()
    .optional()
    .describe(
      'A UUIDv7 of the caller’s own, made within the last days: the same event with the same id is accepted ' +
        'again and kept once, another event with it is 422.',
    ),
  type: EventType,
  payload: z.record(z.string(), z.unknown()).default({}),
  target: EventTarget.optional(),
  options: EventOptions.optional(),
})
export type EventInput = z.infer<typeof EventInput>

/** Where an event came from; always set by the server. */
export const EventSource = z.object({
  workspaceId: z.string().optional(),
  userId: z.string().optional(),
  sessionId: z.string().optional(),
  ip: z.string().optional(),
  correlationId: z.string().optional(),
  automationSlug: z.string().optional(),
  automationDepth: z.number().optional(),
  appSlug: z.string().optional(),
  appInstanceFullSlug: z.string().optional(),
  appInstanceDepth: z.number().optional(),
  socketId: z.string().optional(),
  serviceTopic: z.string().optional().describe('topic:runtime:emit for events that are not native.'),
  host: z.object({ service: z.string() }).optional(),
})
export type EventSource = z.infer<typeof EventSource>

const privateAddress = /^(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|::1$|fe80:|f[cd])/i

/** The address of a caller as `source.ip` shows it: private ones are masked. */
export function shownIp(ip: string): string {
  const address = ip.replace(/^::ffff:/, '')
  return privateAddress.test(address) ? 'private' : address
}

/** An event as stored and answered. */
export const EventRecord = z.object({
  id: z.string().describe('UUIDv7.'),
  type: z.string(),
  source: EventSource,
  payload: z.unknown(),
  target: EventTarget.optional(),
  options: EventOptions.optional(),
  error: z
    .object({
      error: z.string(),
      message: z.string(),
      details: z.unknown().optional(),
      level: z.enum(['warning', 'error', 'fatal']),
    })
    .optional(),
  createdAt: z.iso.datetime(),
  size: z.number().describe('UTF-16 length of the JSON text of type, payload, target and options.'),
})
export type EventRecord = z.infer<typeof EventRecord>

/** Source.serviceTopic of events emitted by users, keys and automations. */
export const EMIT_TOPIC = 'topic:runtime:emit'

/** The stream name of events that belong to no workspace. */
export const PLATFORM_STREAM = 'events-platform'

/** The stream an event is kept in: one a workspace. */
export const eventStream = (workspaceId: string | undefined): string =>
  workspaceId === undefined ? PLATFORM_STREAM : `events-${workspaceId}`

export const emitEvents = endpoint({
  id: 'emitEvents',
  summary: 'Emits events: every one is accepted and committed, or the whole call is refused.',
  service: 'events',
  credential: 'required',
  scope: 'events:write',
  permission: { action: 'create', on: 'events' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/events',
  body: z.strictObject({ events: z.array(EventInput).min(1).max(limits.eventsPerCall) }),
  response: z.object({
    result: z.array(z.object({ id: z.string(), type: z.string(), createdAt: z.iso.datetime() })),
  }),
  idempotent: 'answer',
  limits: ['emitByCaller', 'emit'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'ObjectNotFoundError',
    'EventTooLarge',
    'InvalidEventError',
    'IdempotencyKeyReused',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: { events: [{ type: 'order.placed', payload: { order: { id: 5 } } }] },
    response: { result: [{ id: exampleEvent.id, type: 'order.placed', createdAt: exampleInstant }] },
  },
})

const EventDate = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  'must be a date such as 2026-01-31 or 2026-01-31T10:00:00Z',
)
const EventId = z.uuid('must be the id of an event')

/** Paths and values in one parameter, for clients whose parameters are fixed. */
export const eventQuery = z
  .string()
  .max(4000)
  .optional()
  .describe(
    'JSON object of paths and their values, as the parameters of the same names: {"payload.city": ["Lyon", "L*"]}.',
  )

/** A free filter: any `payload.*` or `source.*` path; repeated means OR, `*` is a wildcard, empty means missing. */
const freeFilters = z.union([z.string().max(500), z.array(z.string().max(500)).max(50)])

export const listEvents = endpoint({
  id: 'listEvents',
  summary: 'The activity feed of a workspace, newest first.',
  service: 'events',
  credential: 'required',
  scope: 'events:read',
  permission: { action: 'read', on: 'events' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/events',
  query: z
    .object({
      ...eventPaging,
      types: z.string().max(2000).optional().describe('Comma-separated types; * stands for any characters.'),
      query: eventQuery,
      text: z
        .string()
        .max(500)
        .optional()
        .describe('Words, or their beginnings, that must be in the event. A UUID is one word.'),
      afterDate: EventDate.optional().describe('Exclusive.'),
      beforeDate: EventDate.optional().describe('Exclusive.'),
      beforeId: EventId.optional().describe('Events before this one, in the server’s order.'),
      afterId: EventId.optional().describe('Events after this one, in the server’s order.'),
      sort: z.enum(['asc', 'desc'], 'must be asc or desc').default('desc'),
      correlationId: z.string().max(64).optional(),
      appInstanceDepth: z
        .string()
        .regex(/^\d{1,3}$/, 'must be a whole number')
        .transform(Number)
        .optional()
        .describe(
          'Depth of installed apps whose events are shown: 0 for the workspace alone; 1, the apps it has ' +
            'installed, without this.',
        ),
    })
    .catchall(freeFilters),
  response: z.object({ result: z.object({ events: z.array(EventRecord) }) }),
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'ObjectNotFoundError',
    'ServiceUnavailable',
  ],
  example: { response: { result: { events: [exampleEvent] } } },
})

export const errorEvent = event({
  type: 'error',
  emittedWhen: 'An automation fails.',
  payload: z.looseObject({
    type: z.string().describe('Name of the error.'),
    message: z.string(),
    details: z
      .unknown()
      .optional()
      .describe(
        'For an automation: { automationSlug, instruction: "do[2].set" } and more; of YAML also line and column.',
      ),
  }),
})
