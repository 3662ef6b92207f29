import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { User } from './users.ts'

/** specification "Anonymous session"; a public client of the family also reads the user's fields and `expires`. */
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
  method: 'post',
  path: '/v2/login/anonymous',
  body: z
    .strictObject({
      expiresAfter: z.number().int().min(1).max(31_536_000).optional().describe('Seconds the session lasts.'),
    })
    .optional(),
  response: AnonymousSession,
  failures: ['RequestValidationError', 'TooManyRequests'],
})

const SignedOut = z.object({ success: z.boolean() })

export const endCurrentSession = endpoint({
  id: 'endCurrentSession',
  summary: 'Signs out: the session of this request is refused everywhere within a second.',
  service: 'api-gateway',
  credential: 'required',
  method: 'delete',
  path: '/v2/user/sessions/current',
  response: SignedOut,
  failures: ['AuthenticationError', 'ForbiddenError'],
})

export const endAllSessions = endpoint({
  id: 'endAllSessions',
  summary: 'Signs out everywhere: every session of the caller ends.',
  service: 'api-gateway',
  credential: 'required',
  method: 'delete',
  path: '/v2/user/sessions',
  response: SignedOut,
  failures: ['AuthenticationError', 'ForbiddenError'],
})
