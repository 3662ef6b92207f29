import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { Email, Language, PersonName, User, UserMeta } from './users.ts'

/** What a super administrator changes of an account. */
export const UserPatch = z.strictObject({
  firstName: PersonName.optional(),
  lastName: PersonName.optional(),
  email: Email.optional(),
  status: User.shape.status.optional(),
  meta: UserMeta.optional(),
  platformRole: z.enum(['superAdmin']).nullable().optional().describe('null takes the role away.'),
  mfa: z.literal('none').optional().describe('Takes away a second factor that was lost.'),
})
export type UserPatch = z.infer<typeof UserPatch>

export const patchUser = endpoint({
  id: 'patchUser',
  summary:
    'A super administrator edits an account. Deactivating it, or taking a role away, takes effect everywhere ' +
    'within a second.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'patch',
  path: '/v2/users/:userId',
  body: UserPatch,
  response: User,
  etag: true,
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'ObjectNotFoundError',
    'AlreadyUsed',
    'PreconditionFailed',
  ],
  example: {
    request: { status: 'validated', platformRole: 'superAdmin' },
    response: {
      id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      language: 'en',
      status: 'validated',
      authData: { prismeai: {} },
      meta: { theme: 'dark' },
      createdAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T09:30:00.000Z',
      platformRole: 'superAdmin',
    },
  },
})

export const createUser = endpoint({
  id: 'createUser',
  summary:
    'A super administrator, or the operator with the internal key, makes an account that can be used at once. Its ' +
    'generated password is shown once.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  interactive: true,
  method: 'post',
  path: '/v2/platform/users',
  body: z.strictObject({
    email: Email,
    firstName: PersonName,
    lastName: PersonName,
    language: Language.optional(),
  }),
  response: z.object({
    user: User,
    password: z.string().describe('It is not kept and cannot be read again.'),
  }),
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'AlreadyUsed'],
  example: {
    request: { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' },
    response: {
      user: {
        id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e34',
        email: 'grace@example.com',
        firstName: 'Grace',
        lastName: 'Hopper',
        language: 'en',
        status: 'validated',
        authData: { prismeai: {} },
        meta: {},
        createdAt: '2026-11-21T09:00:00.000Z',
        updatedAt: '2026-11-21T09:00:00.000Z',
        mfa: 'none',
      },
      password: 'mT4vK9qWx2RbZ7LpYc3N',
    },
  },
})

export const getUser = endpoint({
  id: 'getUser',
  summary: 'A super administrator, or the person themselves, reads an account.',
  service: 'api-gateway',
  credential: 'required',
  method: 'get',
  path: '/v2/users/:userId',
  response: User,
  etag: true,
  failures: ['AuthenticationError', 'ForbiddenError', 'ObjectNotFoundError'],
  example: {
    response: {
      id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33',
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      language: 'en',
      status: 'validated',
      authData: { prismeai: {} },
      meta: { theme: 'dark' },
      createdAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T09:30:00.000Z',
      mfa: 'none',
    },
  },
})

const UsersQuery = z.union([
  z.strictObject({ ids: z.array(z.string().max(200)).min(1).max(1000) }),
  z.strictObject({ emails: z.array(Email).min(1).max(1000) }),
])

const BulkResult = z.object({
  requestedCount: z.number().int(),
  matchedCount: z.number().int(),
  modifiedCount: z.number().int(),
})

export const patchUsers = endpoint({
  id: 'patchUsers',
  summary: 'A super administrator edits up to 1,000 accounts at once, all or none.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'patch',
  path: '/v2/users',
  body: z.strictObject({ query: UsersQuery, data: UserPatch.omit({ email: true }) }),
  response: BulkResult,
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'],
  example: {
    request: { query: { emails: ['ada@example.com', 'eve@example.com'] }, data: { status: 'deactivated' } },
    response: { requestedCount: 2, matchedCount: 1, modifiedCount: 1 },
  },
})

export const deleteUser = endpoint({
  id: 'deleteUser',
  summary:
    'Deletes an account: a super administrator, or its owner with the token of the mailed link. Its ' +
    'credentials are refused everywhere within a second.',
  service: 'api-gateway',
  credential: 'optional',
  method: 'delete',
  path: '/v2/users/:userId',
  query: z.strictObject({ token: z.string().max(200).optional().describe('The token of the mailed link.') }),
  response: z.object({ success: z.boolean() }),
  etag: true,
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'ObjectNotFoundError',
    'InvalidOrExpiredToken',
    'PreconditionFailed',
  ],
  example: { response: { success: true } },
})

export const gatewayUsersUpdated = event({
  type: 'gateway.users.updated',
  emittedWhen: 'A super administrator has edited an account.',
  payload: z.object({ user: User }),
})

export const gatewayUsersBulkUpdated = event({
  type: 'gateway.users.bulkUpdated',
  emittedWhen: 'A super administrator has edited several accounts.',
  payload: z.object({ query: UsersQuery, data: UserPatch.omit({ email: true }), result: BulkResult }),
})

export const gatewayUsersDeleted = event({
  type: 'gateway.users.deleted',
  emittedWhen: 'An account was deleted.',
  payload: z.object({ userId: z.string(), ip: z.string().optional() }),
  everyInstance: true,
})
