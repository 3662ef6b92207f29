import type { Endpoint } from '@platform/contracts'
import { type FailureName, failures } from '@platform/kernel'

/**
 * Every failure an operation may answer: those its contract names, and those that come with what the contract says of
 * it, such as a credential, a body or a limit.
 */
export function failuresOf(endpoint: Endpoint, method: string): FailureName[] {
  const names = new Set<FailureName>([
    // A request that is no honest HTTP, whose path and query can not be read, or whose head is too long, is refused
    // everywhere.
    'RequestValidationError',
    'HeadersTooLarge',
    ...endpoint.failures,
    ...ofVersions(endpoint),
    ...ofCredentials(endpoint, method),
    ...ofBodies(endpoint),
    ...ofPromises(endpoint, method),
    'InternalError',
    'ServiceUnavailable',
    ...(endpoint.service === 'api-gateway' ? [] : (['GatewayTimeout'] as const)),
  ])
  return [...names].sort((a, b) => failures[a] - failures[b])
}

const ofVersions = ({ path }: Endpoint): FailureName[] =>
  path.startsWith('/v2/') ? ['InvalidApiVersion'] : []

/** A credential that is sent and bad is refused also where none is needed; a change by cookie needs its CSRF token. */
function ofCredentials({ credential, scope, path }: Endpoint, method: string): FailureName[] {
  if (!path.startsWith('/v2/') && credential === 'none') return []
  const isChange = method !== 'get'
  return [
    'AuthenticationError',
    ...(credential !== 'none' || isChange ? (['ForbiddenError'] as const) : []),
    ...(scope === undefined ? [] : (['InsufficientScope'] as const)),
  ]
}

function ofBodies({ body, bodyKind }: Endpoint): FailureName[] {
  if (body === undefined) return []
  return [
    'RequestTimeout',
    'PayloadTooLarge',
    ...(bodyKind === 'bytes' ? [] : (['UnsupportedMediaType'] as const)),
  ]
}

const REPEATED = ['IdempotencyKeyInUse', 'OutcomeUnknown', 'IdempotencyKeyReused'] as const

function ofPromises({ limits, idempotent, etag }: Endpoint, method: string): FailureName[] {
  return [
    ...(limits === undefined || limits.length === 0 ? [] : (['TooManyRequests'] as const)),
    ...(idempotent === undefined ? [] : REPEATED),
    ...(idempotent === 'secret' ? (['AlreadyCreated'] as const) : []),
    ...(etag && method !== 'get' ? (['PreconditionFailed'] as const) : []),
  ]
}
