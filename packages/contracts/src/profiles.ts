import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { Language, PersonName, User, UserMeta } from './users.ts'

export const patchOwnUser = endpoint({
  id: 'patchOwnUser',
  summary:
    'Edits the own profile. `meta` replaces all of it; null removes a name, the language or the photo.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'patch',
  path: '/v2/user',
  body: z.strictObject({
    firstName: PersonName.optional(),
    lastName: PersonName.optional(),
    language: Language.nullable().optional(),
    photo: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .nullable()
      .optional()
      .describe('Address of a picture.'),
    meta: UserMeta.optional(),
  }),
  response: User,
  etag: true,
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'PreconditionFailed'],
  example: {
    request: { language: 'en', meta: { theme: 'dark' } },
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
    },
  },
})

export const mergeMeta = endpoint({
  id: 'mergeMeta',
  summary: 'Merges free data into the own account, key by key. At most 100 keys and 100,000 characters.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'post',
  path: '/v2/user/meta',
  body: UserMeta,
  response: UserMeta,
  etag: true,
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'PreconditionFailed'],
  example: { request: { theme: 'dark' }, response: { theme: 'dark', tour: 'seen' } },
})

export const deleteMeta = endpoint({
  id: 'deleteMeta',
  summary: 'Removes one key of the free data of the own account.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'delete',
  path: '/v2/user/meta/:key',
  response: UserMeta,
  etag: true,
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'ObjectNotFoundError',
    'PreconditionFailed',
  ],
  example: { response: { tour: 'seen' } },
})
