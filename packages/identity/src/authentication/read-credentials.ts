import {
  ACCESS_TOKEN_PREFIX,
  type AuthenticationCache,
  bearerOf,
  type Credentials,
  claimsIssuer,
  cookieTokenOf,
  isApiKey,
  keyElsewhere,
} from '@platform/auth'
import { headers as names } from '@platform/contracts'
import type { CookieOnReceivers } from './cookie-on-receivers.ts'
import type { IdentifiedRequest } from './identified-request.ts'

/** What is needed to tell credentials of ours from others. */
interface CredentialReading {
  issuer: string
  cookieOnReceivers: CookieOnReceivers
  cache: Pick<AuthenticationCache, 'has'>
}

const INTERNAL_KEY_PATHS = /^\/v2\/(?:readiness$|platform\/)/

/**
 * Finds the credentials of a request; undefined when it carries none. Nothing is checked, and the query string is
 * never read.
 */
export function readCredentials(call: IdentifiedRequest, deps: CredentialReading): Credentials | undefined {
  const { headers } = call.request
  const apiKey = headers[names.apiKey]
  const bearer =
    headers.authorization === undefined ? undefined : ownBearer(call, headers.authorization, deps)
  // Where an Authorization header is present the cookie is not read, even when the header is somebody else's.
  const cookie = headers.authorization === undefined ? ownCookie(call, deps.cookieOnReceivers) : undefined
  if (bearer === undefined && cookie === undefined && apiKey === undefined) {
    refuseMisplacedKey(call)
    return undefined
  }
  return {
    bearer,
    cookie,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    takesInternalKey: apiKey !== undefined && INTERNAL_KEY_PATHS.test(call.path),
    now: call.startedAt,
    clientIp: call.clientIp,
  }
}

function ownCookie(call: IdentifiedRequest, countsOnReceivers: CookieOnReceivers): string | undefined {
  const { headers } = call.request
  if (call.forwarding?.receiver !== true) return cookieTokenOf(headers.cookie)
  // Nobody is told that a cookie is bad which another page has made their browser send.
  return countsOnReceivers(headers) ? cookieTokenOf(headers.cookie) : undefined
}

/** Many platforms call the header x-api-key: whoever puts a key of ours there is told which it is. */
function refuseMisplacedKey({ request, forwarding }: IdentifiedRequest): void {
  const given = request.headers['x-api-key']
  if (typeof given === 'string' && isApiKey(given) && forwarding?.receiver !== true)
    throw keyElsewhere('The header x-api-key')
}

/**
 * A receiver of calls from elsewhere gets the sender's own Authorization header; whose it is, its shape tells. What was
 * checked before need not be read for that.
 */
function ownBearer(
  call: IdentifiedRequest,
  authorization: string,
  { issuer, cache }: CredentialReading,
): string | undefined {
  if (call.forwarding?.receiver !== true) return bearerOf(authorization)
  const token = authorization.replace(/^bearer +/i, '')
  if (cache.has(token) || token.startsWith(ACCESS_TOKEN_PREFIX) || claimsIssuer(token, issuer))
    return bearerOf(authorization)
  call.foreignBearer = true
  return undefined
}
