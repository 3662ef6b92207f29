import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { eventQuery } from './events.ts'
import { exampleEvent, exampleId } from './example-values.ts'

/** A free filter: any `payload.*` or `source.*` path; repeated means OR, `*` is a wildcard, empty means missing. */
const freeFilters = z.union([z.string().max(500), z.array(z.string().max(500)).max(50)])

const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
  'ServiceUnavailable',
] as const
const streamFailures = [...failures, 'TooManyRequests'] as const

export const streamEvents = endpoint({
  id: 'streamEvents',
  summary:
    'The events of a workspace as they happen (server-sent events): id, type and record. Last-Event-ID goes on ' +
    'where a stream ended, without gap or duplicate.',
  service: 'events',
  credential: 'required',
  scope: 'events:read',
  permission: { action: 'read', on: 'events' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/events/stream',
  query: z
    .object({
      types: z.string().max(2000).optional().describe('Comma-separated types; * stands for any characters.'),
      query: eventQuery,
      format: z
        .enum(['typed', 'message'], 'must be typed or message')
        .optional()
        .describe(
          'message: events come without a name of their own, so that EventSource.onmessage hears all of them.',
        ),
      text: z.string().max(500).optional().describe('Words that must be in the event.'),
      correlationId: z.string().max(64).optional(),
      appInstanceDepth: z
        .string()
        .regex(/^\d{1,3}$/)
        .transform(Number)
        .optional(),
      lastEventId: z
        .uuid()
        .optional()
        .describe('As the header Last-Event-ID, for clients that can’t set it.'),
    })
    .catchall(freeFilters),
  response: z.string(),
  mediaTypes: ['text/event-stream'],
  failures: streamFailures,
  example: {
    response: `id: ${exampleEvent.id}\nevent: ${exampleEvent.type}\ndata: ${JSON.stringify(exampleEvent)}\n\n`,
  },
})

const { scope: _, ...followed } = streamEvents

/** Decided by role, as everything for operators. */
export const tailEvents = endpoint({
  ...followed,
  caller: 'superAdmin',
  id: 'tailEvents',
  summary: 'The same as the event stream of a workspace, for operators with the internal key.',
  path: '/v2/platform/workspaces/:workspaceId/events/stream',
})

/** As whom a credential reads the events of a workspace. */
export const EventReader = z.object({
  kind: z.enum(['user', 'apiKey', 'internal']),
  userId: z.string().optional(),
  sessionId: z.string().optional(),
  apiKeyId: z.string().optional(),
  anonymous: z.boolean().optional(),
  superAdmin: z.boolean().optional(),
  scopes: z.array(z.string()).optional(),
})
export type EventReader = z.infer<typeof EventReader>

export const getEventReader = endpoint({
  id: 'getEventReader',
  summary: 'As whom the events of a workspace are read with the credential of this request.',
  service: 'events',
  credential: 'required',
  scope: 'events:read',
  permission: { action: 'read', on: 'events' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/events/reader',
  response: z.object({ result: EventReader }),
  failures,
  example: { response: { result: { kind: 'user', userId: exampleId, sessionId: exampleId } } },
})
