import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { paging } from './paging.ts'

/**
 * A change within a major version that `X-Platform-API-Version` undoes when an earlier date is asked for.
 */
export const DatedChange = z.object({
  date: z.iso.date().describe('First day of the new behaviour.'),
  resource: z.string().describe('What has changed, for example "API keys".'),
  summary: z.string().describe('Before and after, in sentences.'),
})
export type DatedChange = z.infer<typeof DatedChange>

/** A major version of the API as it stands at this instant. */
export const ApiVersion = z.object({
  version: z.string().describe('The path prefix without its slash, for example "v2".'),
  state: z.enum(['beta', 'stable', 'deprecated', 'retired']),
  releasedOn: z.iso.date().describe('The earliest date X-Platform-API-Version may ask for.'),
  deprecatedAt: z.iso.datetime().nullable(),
  retiresAt: z.iso
    .datetime()
    .nullable()
    .describe('From this instant every answer is 410; null: not planned.'),
  successor: z.string().nullable().describe('The version to move to.'),
  changes: z.array(DatedChange).describe('Dated changes, newest first.'),
})
export type ApiVersion = z.infer<typeof ApiVersion>

export const listVersions = endpoint({
  id: 'listVersions',
  summary: 'The major versions of the API, their states and dates, and the dated changes within each.',
  service: 'api-gateway',
  credential: 'none',
  thirdParty: true,
  method: 'get',
  path: '/v2/versions',
  response: z.array(ApiVersion),
  failures: [],
  example: {
    response: [
      {
        version: 'v2',
        state: 'stable',
        releasedOn: '2024-12-31',
        deprecatedAt: null,
        retiresAt: null,
        successor: null,
        changes: [
          {
            date: '2026-11-21',
            resource: 'API keys',
            summary: 'Keys in lists and edits show more than the key they were made with.',
          },
        ],
      },
    ],
  },
})

/** Who calls a version that is not stable, or asks for the behaviour of an earlier date. */
export const VersionCaller = z.object({
  kind: z
    .enum(['user', 'apiKey', 'program', 'anonymous', 'internal', 'nobody'])
    .describe('program: a client that acts for itself; nobody: a call without a credential.'),
  clientId: z.string().nullable().describe('The application that obtained the JWT.'),
  userId: z.string().nullable().describe('Null but for people with an account.'),
  apiKeyId: z.string().nullable().describe('Record id of the API key.'),
  behaviourOf: z.iso
    .date()
    .nullable()
    .describe('What X-Platform-API-Version-Used said; null where no date was asked for.'),
  count: z.number().int().describe('Calls since `firstSeenAt`.'),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
})
export type VersionCaller = z.infer<typeof VersionCaller>

export const listVersionCallers = endpoint({
  id: 'listVersionCallers',
  summary:
    'Who still calls a version that is beta or deprecated, or asks for the behaviour of a date, the latest ' +
    'first (super administrators). Kept 400 days after the last call.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/versions/:version/callers',
  query: z.strictObject(paging),
  response: z.array(VersionCaller),
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'ObjectNotFoundError'],
  example: {
    response: [
      {
        kind: 'user',
        clientId: 'local-client-id',
        userId: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33',
        apiKeyId: null,
        behaviourOf: null,
        count: 7,
        firstSeenAt: '2026-11-20T09:00:00.000Z',
        lastSeenAt: '2026-11-21T09:00:00.000Z',
      },
    ],
  },
})
