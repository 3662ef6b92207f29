import { orgSlugPattern } from '@platform/contracts'
import type { Json } from './declared.ts'

interface Known {
  description: string
  example: string
  pattern?: string
}

const USER = '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33'

/** What the names of the paths mean. */
const known: Readonly<Record<string, Known>> = {
  workspaceId: {
    description: 'Id of a workspace, or `slug:` and its slug.',
    example: 'k3x9w0a1b2c3d4e5',
    pattern: '^(slug:[a-z0-9][a-z0-9-]{0,59}|[A-Za-z0-9_-]{1,64})$',
  },
  secretName: {
    description: 'Name of the secret; one with a slash in it is deleted by PUT of the others.',
    example: 'shopKey',
  },
  functionName: {
    description: 'The name of a declared function.',
    example: 'total',
  },
  automationSlug: {
    description: 'Slug of an automation. It may hold slashes, which stand as they are.',
    example: 'orders/import',
    pattern: '^[/a-zA-Z0-9 _-]{1,100}$',
  },
  path: {
    description: 'Path of a URL trigger. It may hold slashes, which stand as they are.',
    example: 'order',
  },
  apiKey: { description: 'Record id of an API key, or the whole key.', example: USER },
  userId: { description: 'Id of a user.', example: USER },
  sessionId: { description: 'Id of a session.', example: USER },
  accessTokenId: { description: 'Record id of an access token.', example: USER },
  orgSlug: { description: 'Slug of an organization.', example: 'acme', pattern: orgSlugPattern.source },
  slug: { description: 'Slug of a provider.', example: 'acme-sso', pattern: '^[a-z0-9][a-z0-9-]{0,59}$' },
  photoId: { description: 'Id of a picture.', example: 'p7Qk2mX9' },
  subscriptionId: { description: 'Id of a webhook subscription.', example: USER },
  position: {
    description: 'Where a schedule stands in `when.schedules`, counted from 0.',
    example: '0',
    pattern: '^[0-9]{1,3}$',
  },
  deliveryId: { description: 'Id of a delivery, its `webhook-id`.', example: USER },
  jobId: {
    description: 'Id of a change of many runs, as it was answered when it was accepted.',
    example: USER,
  },
  runId: { description: 'Id of a run, as the header `x-platform-run-id` tells it.', example: USER },
  key: { description: 'Name of an entry.', example: 'theme' },
  kid: { description: 'Id of a signing key.', example: 'kXb4J0v2' },
  ticket: { description: 'The ticket of the address.', example: 'Zk3fQ9w1' },
  asset: {
    description: 'Name of a file of the pages, with its version.',
    example: 'swagger-ui.1a2b3c4d.css',
  },
  version: { description: 'A version of the API.', example: 'v2', pattern: '^v[0-9]+$' },
}

/** The parameters of a path as contracts write it. */
export const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => {
    const { description = `The ${name}.`, example = 'x1', pattern } = known[name] ?? {}
    const schema = { type: 'string', minLength: 1, ...(pattern === undefined ? {} : { pattern }) }
    return { name, in: 'path', required: true, description, schema, example }
  })

/** `/v2/x/:id/*rest` in the notation of OpenAPI. */
export const openApiPath = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}')
