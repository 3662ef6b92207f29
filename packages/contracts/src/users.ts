import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleUser } from './example-values.ts'

/** A first or last name. */
export const PersonName = z
  .string()
  .regex(/^(?=.*[^ ])[0-9A-Za-zÀ-ÖØ-öø-ÿ ,.'-]{1,60}$/, "must be 1–60 letters, digits, spaces or , . ' -")

/** A language tag such as `en` or `fr`. */
export const Language = z
  .string()
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z]{2,6})?$/, 'must be a language such as en or fr')

/** An address somebody can be reached at. */
export const Email = z
  .string()
  .trim()
  .min(3)
  .max(254)
  .regex(/^[^\s@<>"(),:;\\[\]\p{C}]+@[^\s@<>"(),:;\\[\]\p{C}]+$/u, 'must be an e-mail address')

/** The method of a second factor. */
export const MfaMethod = z.enum(['totp', 'none'])

/** Free data about a person: what applications keep with an account. */
export const UserMeta = z.record(z.string().min(1).max(100), z.unknown())

/** The account of a person, as they see it themselves. */
export const User = z.object({
  id: z.string(),
  email: z.string().optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  language: z.string().optional(),
  photo: z.string().optional().describe('Address of the picture.'),
  status: z.enum(['pending', 'validated', 'deactivated']),
  authData: z
    .record(z.string(), z.unknown())
    .describe('One entry a provider; `anonymous` marks anonymous users.'),
  mfa: MfaMethod.optional().describe('The second factor that is asked for after the password.'),
  meta: UserMeta.optional(),
  platformRole: z.string().optional().describe('superAdmin for super administrators.'),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().optional(),
})
export type User = z.infer<typeof User>

/** The caller as `GET /v2/me` shows it. */
export const Me = User.extend({
  sessionId: z.string(),
  expires: z.iso.datetime().describe('When the credential of this request ends.'),
  org: z.null().describe('The active organization.'),
  permissions: z.array(z.string()),
  organizations: z.array(z.unknown()),
})
export type Me = z.infer<typeof Me>

export const getMe = endpoint({
  id: 'getMe',
  summary: 'The caller, the session and the active organization; the answer carries the CSRF token header.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'person',
  method: 'get',
  path: '/v2/me',
  response: Me,
  etag: true,
  failures: ['AuthenticationError', 'ForbiddenError'],
  example: {
    response: {
      ...exampleUser,
      sessionId: exampleId,
      expires: '2026-12-21T09:00:00.000Z',
      org: null,
      permissions: [],
      organizations: [],
    },
  },
})

/** An operator's way back in for an account whose password is lost. */
export const resetUserPassword = endpoint({
  id: 'resetUserPassword',
  summary:
    'Gives an account a new generated password, shown once, and ends all its sessions. Internal key only.',
  service: 'api-gateway',
  credential: 'internal',
  method: 'post',
  path: '/v2/platform/users/password-reset',
  body: z.strictObject({ email: z.string().trim().min(3).max(254).describe('Address of the account.') }),
  response: z.object({
    userId: z.string(),
    email: z.string(),
    password: z.string().describe('The new password; it is not kept and cannot be read again.'),
  }),
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'ObjectNotFoundError'],
})
