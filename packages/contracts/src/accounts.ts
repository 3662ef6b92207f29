import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { Email, Language, PersonName, User } from './users.ts'

/** 8–128 characters as people count them. */
export const Password = z
  .string()
  .max(512)
  .refine((text) => [...text].length >= 8 && [...text].length <= 128, 'must have 8 to 128 characters')

/** The secret of a mailed link; it works once and for one purpose. */
const MailedToken = z.string().min(20).max(200).describe('The token of the mailed link.')
const Done = z.object({ success: z.boolean() })

export const signUp = endpoint({
  id: 'signUp',
  summary:
    'Creates an account. Whether it can be used at once, after a mailed link or after an administrator agreed ' +
    'is ACCOUNT_VALIDATION_METHOD.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  thirdParty: true,
  method: 'post',
  path: '/v2/signup',
  body: z.strictObject({
    email: Email,
    password: Password,
    firstName: PersonName,
    lastName: PersonName,
    language: Language.optional(),
  }),
  response: User,
  idempotent: 'answer',
  limits: ['signUp'],
  failures: [
    'RequestValidationError',
    'AlreadyUsed',
    'ForbiddenError',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: {
      email: 'ada@example.com',
      password: 'correct horse battery',
      firstName: 'Ada',
      lastName: 'Lovelace',
    },
    response: {
      id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      status: 'pending',
      authData: { prismeai: {} },
      createdAt: '2026-11-21T09:00:00.000Z',
    },
  },
})

export const validateAccount = endpoint({
  id: 'validateAccount',
  summary:
    'With a token: the address is the account’s. With an address: mails the link again; an unknown address ' +
    'gets the same answer.',
  service: 'api-gateway',
  credential: 'none',
  interactive: true,
  method: 'post',
  path: '/v2/user/validate',
  body: z.union([
    z.strictObject({ token: MailedToken }),
    z.strictObject({ email: Email, language: Language.optional() }),
  ]),
  response: Done,
  limits: ['validationMail'],
  failures: ['RequestValidationError', 'ForbiddenError', 'InvalidOrExpiredToken', 'TooManyRequests'],
  example: { request: { email: 'ada@example.com', language: 'en' }, response: { success: true } },
})

export const setPassword = endpoint({
  id: 'setPassword',
  summary:
    'With an address: mails a link, silently for an unknown one. With the token of such a link: sets a new ' +
    'password and ends all sessions. With the current password: changes it and ends all other sessions.',
  service: 'api-gateway',
  credential: 'optional',
  interactive: true,
  method: 'post',
  path: '/v2/user/password',
  body: z.union([
    z.strictObject({ email: Email, language: Language.optional() }),
    z.strictObject({ token: MailedToken, password: Password }),
    z.strictObject({ currentPassword: z.string().min(1).max(512), password: Password }),
  ]),
  response: Done,
  limits: ['passwordReset', 'passwordChange'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InvalidPassword',
    'InvalidOrExpiredToken',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: { currentPassword: 'correct horse battery', password: 'a longer horse battery' },
    response: { success: true },
  },
})

export const requestDeletion = endpoint({
  id: 'requestDeletion',
  summary: 'Mails a link that deletes the own account.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'delete',
  path: '/v2/user',
  response: Done,
  limits: ['deletionMail'],
  failures: ['AuthenticationError', 'ForbiddenError', 'TooManyRequests'],
  example: { response: { success: true } },
})

const visit = {
  ip: z.string().describe('Address of the client; private ones are masked.'),
  email: z.string(),
}

export const gatewaySignupSucceeded = event({
  type: 'gateway.signup.succeeded',
  emittedWhen: 'Somebody has made an account.',
  payload: z.object({ ip: z.string(), user: User }),
})

export const gatewayPasswordResetRequested = event({
  type: 'gateway.passwordReset.requested',
  emittedWhen: 'The owner of an account was mailed a link to set a new password.',
  payload: z.object(visit),
})

export const gatewayPasswordResetSucceeded = event({
  type: 'gateway.passwordReset.succeeded',
  emittedWhen: 'An account has a new password.',
  payload: z.object(visit),
})
