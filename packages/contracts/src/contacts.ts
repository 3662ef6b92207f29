import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { instant } from './instant.ts'
import { paging } from './paging.ts'
import { Email, PersonName, User } from './users.ts'

/** What others see of a person. */
export const Contact = z.object({
  id: z.string(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  language: z.string().optional(),
  photo: z.string().optional(),
  email: z
    .string()
    .optional()
    .describe('Only where it was asked for by its exact spelling, and for super administrators.'),
  status: User.shape.status.optional().describe('For super administrators.'),
  platformRole: z.string().optional().describe('For super administrators.'),
  createdAt: z.iso.datetime().optional().describe('For super administrators.'),
})
export type Contact = z.infer<typeof Contact>

export const findContacts = endpoint({
  id: 'findContacts',
  summary:
    'Finds people. Who is no super administrator finds them by their exact address or by ids, and sees neither ' +
    'status nor role.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  method: 'post',
  path: '/v2/contacts',
  query: z.strictObject({
    ...paging,
    createdBefore: instant.optional(),
    createdAfter: instant.optional(),
  }),
  body: z.strictObject({
    email: Email.optional(),
    ids: z.array(z.string().max(200)).max(100).optional(),
    text: z
      .string()
      .max(200)
      .optional()
      .describe('A part of a name or an address. Super administrators only.'),
    firstName: PersonName.optional().describe('Super administrators only.'),
    lastName: PersonName.optional().describe('Super administrators only.'),
    authProvider: z.string().max(100).optional().describe('Super administrators only.'),
    status: User.shape.status.optional().describe('Super administrators only.'),
    platformRole: z.string().max(100).optional().describe('Super administrators only.'),
  }),
  response: z.object({
    size: z.number().describe('How many there are on all pages.'),
    contacts: z.array(Contact),
  }),
  limits: ['contacts'],
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'TooManyRequests'],
  example: {
    request: { email: 'ada@example.com' },
    response: {
      size: 1,
      contacts: [
        {
          id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33',
          firstName: 'Ada',
          lastName: 'Lovelace',
          email: 'ada@example.com',
        },
      ],
    },
  },
})
