import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleGuest, exampleId, exampleInstant } from './example-values.ts'
import { paging } from './paging.ts'
import { User } from './users.ts'

/** An anonymous session; clients also read the fields of its user and `expires`. */
export const AnonymousSession = User.extend({
  userId: z.string().describe('Identifier of the anonymous user.'),
  sessionId: z.string().describe('Identifier of the session.'),
  token: z.string().describe('A JWT for the session.'),
  expires: z.iso.datetime().describe('When the session ends.'),
})
export type AnonymousSession = z.infer<typeof AnonymousSession>

export const createAnonymousSession = endpoint({
  id: 'createAnonymousSession',
  summary: 'Starts an unauthenticated session.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'post',
  path: '/v2/login/anonymous',
  body: z
    .strictObject({
      expiresAfter: z.number().int().min(1).max(31_536_000).optional().describe('Seconds the session lasts.'),
      orgSlug: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('The organization the visitor comes to; it must exist and let visitors in.'),
    })
    .optional(),
  response: AnonymousSession,
  idempotent: 'secret',
  limits: ['anonymousLogin'],
  failures: ['RequestValidationError', 'ForbiddenError', 'ObjectNotFoundError', 'TooManyRequests'],
  example: { request: { expiresAfter: 3600 }, response: exampleGuest },
})

const SignedOut = z.object({ success: z.boolean() })

export const endCurrentSession = endpoint({
  id: 'endCurrentSession',
  summary: 'Signs out: the session of this request is refused everywhere within a second.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'person',
  interactive: true,
  shedExempt: true,
  method: 'delete',
  path: '/v2/user/sessions/current',
  response: SignedOut,
  failures: ['AuthenticationError', 'ForbiddenError'],
  example: { response: { success: true } },
})

export const endAllSessions = endpoint({
  id: 'endAllSessions',
  summary: 'Signs out everywhere: every session of the caller ends.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'person',
  interactive: true,
  shedExempt: true,
  method: 'delete',
  path: '/v2/user/sessions',
  response: SignedOut,
  failures: ['AuthenticationError', 'ForbiddenError'],
  example: { response: { success: true } },
})

/** A session as its owner sees it. */
export const ListedSession = z.object({
  id: z.string(),
  current: z.boolean().describe('True for the session of this request.'),
  clientId: z.string().describe('The application it was started by.'),
  clientName: z.string().optional(),
  device: z.string().describe('Browser and system in words, for example "Firefox on Linux".'),
  ip: z.string().nullable().describe('Where it was used last.'),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable().describe('Last use, to the minute.'),
  expiresAt: z.iso.datetime(),
})
export type ListedSession = z.infer<typeof ListedSession>

export const listSessions = endpoint({
  id: 'listSessions',
  summary: 'The sessions of the caller that have not ended, the latest used first.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'person',
  interactive: true,
  method: 'get',
  path: '/v2/user/sessions',
  query: z.strictObject(paging),
  response: z.array(ListedSession),
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'],
  example: {
    response: [
      {
        id: exampleId,
        current: true,
        clientId: 'local-client-id',
        device: 'Firefox on Linux',
        ip: '203.0.113.7',
        createdAt: exampleInstant,
        lastUsedAt: exampleInstant,
        expiresAt: '2026-12-21T09:00:00.000Z',
      },
    ],
  },
})

export const endSession = endpoint({
  id: 'endSession',
  summary: 'Signs another device out: the session is refused everywhere within a second.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'person',
  interactive: true,
  shedExempt: true,
  method: 'delete',
  path: '/v2/user/sessions/:sessionId',
  response: z.object({ id: z.string() }),
  failures: ['AuthenticationError', 'ForbiddenError', 'ObjectNotFoundError'],
  example: { response: { id: exampleId } },
})

export const createWebSessionTicket = endpoint({
  id: 'createWebSessionTicket',
  summary:
    'Makes an address that signs a browser in to the session of this request, once and within 60 seconds, and ' +
    'leads on to `redirect`.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'person',
  interactive: true,
  method: 'post',
  path: '/v2/user/webSessionTicket',
  body: z.strictObject({
    redirect: z.string().min(1).max(2000).describe('An address of an allowed origin.'),
  }),
  response: z.object({ url: z.string() }),
  idempotent: 'secret',
  limits: ['webSessionTicket'],
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'TooManyRequests'],
  example: {
    request: { redirect: 'https://console.example.com/' },
    response: { url: 'https://api.example.com/signin/tickets/Zk3fQ9w1' },
  },
})

export const redeemWebSessionTicket = endpoint({
  id: 'redeemWebSessionTicket',
  summary: 'Opens such an address: burns the ticket, sets the cookie of a new session, leads on.',
  service: 'api-gateway',
  credential: 'none',
  method: 'get',
  path: '/signin/tickets/:ticket',
  response: z.string(),
  status: 303,
  failures: [],
  mediaTypes: [],
  otherAnswers: [
    { status: 200, summary: 'A page asks, where somebody else is signed in.', mediaType: 'text/html' },
    { status: 400, summary: 'A page says why.', mediaType: 'text/html' },
  ],
})

export const confirmWebSessionTicket = endpoint({
  id: 'confirmWebSessionTicket',
  summary:
    'The answer of somebody who is signed in and was asked whether the ticket may sign them in as another.',
  service: 'api-gateway',
  credential: 'none',
  method: 'post',
  path: '/signin/tickets/:ticket',
  response: z.string(),
  status: 303,
  failures: [],
  mediaTypes: [],
  otherAnswers: [{ status: 400, summary: 'A page says why.', mediaType: 'text/html' }],
})
