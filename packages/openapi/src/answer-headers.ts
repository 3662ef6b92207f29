import { type Endpoint, rateLimits } from '@platform/contracts'
import type { Json } from './declared.ts'

const text = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string' },
  example,
})
const number = (description: string, example: number): Json => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
})

/** Headers of answers; components by name. */
export const headerComponents: Record<string, Json> = {
  CorrelationId: {
    description: 'Names the request in every log line and event it caused.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{8,64}$' },
    example: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33',
  },
  ETag: text(
    'The version of what is answered, for If-Match and If-None-Match.',
    '"3b5d5c3712955042212316173ccf37be"',
  ),
  Link: text(
    'The next page (`rel="next"`), while there is one.',
    '</v2/workspaces?page=1&limit=20>; rel="next"',
  ),
  RetryAfter: number('Seconds to wait before trying again.', 12),
  ApiVersionUsed: text(
    'Date of the newest change that was applied, where a version was asked for.',
    '2024-12-31',
  ),
  Deprecation: text('When the version was deprecated; only while it is (RFC 9745).', '@1735603200'),
  IdempotencyReplayed: text('`true` where this is the answer of an earlier request with this key.', 'true'),
  RateLimitPolicy: text('The limits of this operation.', '"uploads";q=50;w=60'),
  RateLimit: text('What is left of the tightest limit.', '"uploads";r=49;t=60'),
  XRateLimitLimit: number('Uses in one window.', 50),
  XRateLimitRemaining: number('Uses that are left in this window.', 49),
  XRateLimitReset: number('When the window ends, in Unix seconds.', 1_795_287_600),
  Location: text('Where to go on.', '/signin'),
}

const ref = (name: string): Json => ({ $ref: `#/components/headers/${name}` })
const always = { 'x-correlation-id': ref('CorrelationId') }
const limited = {
  'RateLimit-Policy': ref('RateLimitPolicy'),
  RateLimit: ref('RateLimit'),
  'X-RateLimit-Limit': ref('XRateLimitLimit'),
  'X-RateLimit-Remaining': ref('XRateLimitRemaining'),
  'X-RateLimit-Reset': ref('XRateLimitReset'),
}

/** Headers of a success. */
export function successHeaders(endpoint: Endpoint, isPaged: boolean): Json {
  const { path, etag, idempotent, limits = [], status = 200 } = endpoint
  return {
    ...always,
    ...(etag ? { ETag: ref('ETag') } : {}),
    ...(isPaged ? { Link: ref('Link') } : {}),
    ...(idempotent === undefined ? {} : { 'Idempotency-Replayed': ref('IdempotencyReplayed') }),
    ...(limits.length === 0 ? {} : limited),
    ...(status >= 300 && status < 400 ? { Location: ref('Location') } : {}),
    ...(path.startsWith('/v2/')
      ? { 'X-Platform-API-Version-Used': ref('ApiVersionUsed'), Deprecation: ref('Deprecation') }
      : {}),
  }
}

/** Headers of a failure by its status. */
export const failureHeaders = (status: string): Json => ({
  ...always,
  ...(status === '429' || status === '503' ? { 'Retry-After': ref('RetryAfter') } : {}),
  ...(status === '429' ? limited : {}),
})

/** The limits of an operation with their defaults. */
export const limitsOf = ({ limits = [] }: Endpoint): Json[] =>
  limits.map((name) => {
    const { name: shown, ...limit } = rateLimits[name]
    return { name: shown, ...limit }
  })
