import type { IncomingMessage } from 'node:http'
import { clientHeaders, headers as names } from '@platform/contracts'
import { sendJson } from '@platform/http'
import type { Exchange } from '../exchange.ts'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'traceparent',
  'tracestate',
  names.correlationId,
  ...clientHeaders,
].join(', ')
const EXPOSED = [
  names.correlationId,
  names.csrfToken,
  names.apiVersionUsed,
  names.apiDeprecation,
  names.runId,
  'content-disposition',
  'deprecation',
  'etag',
  'idempotency-replayed',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'sunset',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ')
const PREFLIGHT_SECONDS = '600'
const ALLOW = 'access-control-allow-'
/** The OIDC server knows the origins of its clients and decides itself; its public documents are for all. */
const OIDC = /^\/(oidc|\.well-known)\//

/**
 * Lets pages of allowed origins read responses (CORS), and answers their preflights here, before a credential is asked
 * for: none is sent with them. Returns 'answered' then. Other origins get a response that does not name them, which
 * their browser does not let them read.
 */
export const admitPage =
  (judge: (origin: string) => Admission) =>
  (exchange: Exchange): 'answered' | undefined => {
    const { request } = exchange
    const { origin } = request.headers
    if (origin === undefined || OIDC.test(request.url ?? '')) return undefined
    const admission = judge(origin)
    if (isPreflight(request)) {
      answerPreflight(exchange, origin, admission)
      return 'answered'
    }
    exchange.wrapper.add([...admitted(origin, admission), 'vary', 'Origin'])
    return undefined
  }

const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined

function admitted(origin: string, admission: Admission): string[] {
  if (admission === 'none') return []
  const list = [`${ALLOW}origin`, origin, 'access-control-expose-headers', EXPOSED]
  return admission === 'cookie' ? [...list, `${ALLOW}credentials`, 'true'] : list
}

function answerPreflight(exchange: Exchange, origin: string, admission: Admission): void {
  const { response, correlationId } = exchange
  exchange.requireHttps()
  response.setHeader(names.correlationId, correlationId)
  response.setHeader('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers')
  if (admission !== 'none') {
    response.setHeader(`${ALLOW}origin`, origin)
    response.setHeader(`${ALLOW}methods`, METHODS)
    response.setHeader(`${ALLOW}headers`, REQUEST_HEADERS)
    response.setHeader('access-control-max-age', PREFLIGHT_SECONDS)
    if (admission === 'cookie') response.setHeader(`${ALLOW}credentials`, 'true')
  }
  sendJson(response, 204, undefined)
}

/** What a page of an origin may do: nothing, call with a token, or also with the cookie of its visitor. */
export type Admission = 'none' | 'token' | 'cookie'

interface Settings {
  origins: readonly string[]
  pagesHost: string | undefined
  /** With its colon. */
  pagesScheme: string
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/**
 * Judges the origin of a page. The console and what operators list may use the cookie; pages, which anyone with a
 * workspace writes, may not: they are on the same site as the API, so that a browser would send it along.
 */
export function allowedOrigins({ origins, pagesHost, pagesScheme }: Settings): (origin: string) => Admission {
  const listed = new Set(origins)
  const pages =
    pagesHost === undefined
      ? undefined
      : new RegExp(`^${pagesScheme}//(?:${label}\\.)+${pagesHost.replaceAll('.', '\\.')}$`)
  return (origin) => {
    if (listed.has(origin)) return 'cookie'
    return pages?.test(origin) === true ? 'token' : 'none'
  }
}
