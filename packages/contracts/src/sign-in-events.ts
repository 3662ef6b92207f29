import { z } from 'zod'
import { event } from './event.ts'

export const gatewayLoginSucceeded = event({
  type: 'gateway.login.succeeded',
  emittedWhen: 'Somebody has signed in: the first token of a session was issued.',
  payload: z.object({
    ip: z.string().optional().describe('Address of the client; private ones are masked.'),
    email: z.string().optional(),
    id: z.string().describe('The user.'),
    provider: z
      .string()
      .optional()
      .describe('prismeai for passwords of this platform, else the slug of a provider.'),
    authData: z.record(z.string(), z.unknown()),
    session: z.object({
      id: z.string(),
      expiresIn: z.number().describe('Seconds.'),
      expires: z.iso.datetime(),
    }),
  }),
})

export const gatewayLoginFailed = event({
  type: 'gateway.login.failed',
  emittedWhen: 'A sign-in was refused.',
  payload: z.object({
    ip: z.string().optional(),
    email: z.string().optional(),
    provider: z.string().optional(),
  }),
})
