import type { Endpoint } from '@platform/contracts'
import type { Json } from './declared.ts'

/** Headers of requests that several operations read; components by name. */
export const parameterComponents: Record<string, Json> = {
  ApiVersion: {
    name: 'X-Platform-API-Version',
    in: 'header',
    description: 'The API as it was on this date. Without it, as it is today.',
    schema: { type: 'string', format: 'date' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeated request safe: the same key with the same body is answered within 24 hours by the first ' +
      'answer, with `Idempotency-Replayed: true`. Keys belong to the caller: user, API key or, without a ' +
      'credential, address.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag that was read: the change is refused with 412 when it is not the present one.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag that is known: 304 without a body when it is still the present one.',
    schema: { type: 'string' },
  },
}

/** References to the headers an operation reads. */
export function headerParameters(endpoint: Endpoint, method: string): Json[] {
  const { path, idempotent, etag = false, failures } = endpoint
  const isChange = method !== 'get' && method !== 'post'
  const names = [
    ...(path.startsWith('/v2/') ? ['ApiVersion'] : []),
    ...(idempotent === undefined ? [] : ['IdempotencyKey']),
    ...(isChange && (etag || failures.includes('PreconditionFailed')) ? ['IfMatch'] : []),
    ...(method === 'get' && etag ? ['IfNoneMatch'] : []),
  ]
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
}
