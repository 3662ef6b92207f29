import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleListedToken } from './example-values.ts'
import { paging } from './paging.ts'

/** An access token as its owner sees it. */
export const AccessToken = z.object({
  _id: z.string().describe('Identifier of the token record.'),
  name: z.string().trim().min(1).max(100).describe('Label of the token.'),
  expiresAt: z.iso.datetime({ offset: true }).describe('Expiry instant.'),
  userId: z.string().describe('Owner of the token.'),
  token: z.string().startsWith('at:').describe('The opaque token, shown once.'),
})
export type AccessToken = z.infer<typeof AccessToken>

/** A token as a list shows it: never the token itself. */
export const ListedAccessToken = AccessToken.omit({ token: true }).extend({
  createdAt: z.iso.datetime().describe('When it was made.'),
  scopes: z
    .array(z.string())
    .describe('What it may use: the resource scopes of the credential that made it.'),
  lastUsedAt: z.iso.datetime().nullable().describe('Last use, to the minute; null when never used.'),
})
export type ListedAccessToken = z.infer<typeof ListedAccessToken>

export const createAccessToken = endpoint({
  id: 'createAccessToken',
  summary: 'An authenticated user creates an access token.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'post',
  path: '/v2/user/accessTokens',
  body: z.strictObject({ name: AccessToken.shape.name, expiresAt: AccessToken.shape.expiresAt }),
  response: AccessToken,
  idempotent: 'secret',
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'],
  example: {
    request: { name: 'Laptop', expiresAt: '2026-12-21T09:00:00Z' },
    response: {
      _id: exampleId,
      name: 'Laptop',
      expiresAt: '2026-12-21T09:00:00Z',
      userId: exampleId,
      token: 'at:Zk3fQ9w1…',
    },
  },
})

export const listAccessTokens = endpoint({
  id: 'listAccessTokens',
  summary: 'A page of the access tokens of the caller, newest first, without the tokens.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'get',
  path: '/v2/user/accessTokens',
  query: z.strictObject(paging),
  response: z.array(ListedAccessToken),
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'],
  example: { response: [exampleListedToken] },
})

export const revokeAccessToken = endpoint({
  id: 'revokeAccessToken',
  summary: 'Revokes an access token by its record id; it is refused everywhere within a second.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  shedExempt: true,
  method: 'delete',
  path: '/v2/user/accessTokens/:accessTokenId',
  response: ListedAccessToken,
  failures: ['AuthenticationError', 'ForbiddenError', 'ObjectNotFoundError'],
  example: { response: exampleListedToken },
})
