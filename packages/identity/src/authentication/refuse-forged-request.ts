import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { CsrfTokens } from '../sessions/access-token-cookie.ts'
import type { IdentifiedRequest } from './identified-request.ts'

/**
 * A browser sends its cookie with any page's request. So a change that is authenticated by cookie needs a token that
 * only our own pages can read, and must come from one of them.
 */
export const refuseForgedRequest = (deps: { csrf: CsrfTokens; allowedOrigins: readonly string[] }) => {
  const allowed = new Set(deps.allowedOrigins)
  return (call: IdentifiedRequest): void => {
    const { principal, request } = call
    if (principal?.kind !== 'user' || !mayBeForged(call)) return
    const token = request.headers[names.csrfToken]
    if (!deps.csrf.accepts(typeof token === 'string' ? token : undefined, principal.sessionId)) {
      throw new Failure(
        'ForbiddenError',
        `Send the header ${names.csrfToken} that GET /v2/me answers, or use a Bearer token.`,
      )
    }
    if (!allowed.has(originOf(request.headers.origin, request.headers.referer))) {
      throw new Failure(
        'ForbiddenError',
        'The page this request comes from may not write here: it is not in the list of origins.',
      )
    }
  }
}

/** Of a request to a receiver the cookie was not even read, unless it came with all that is asked for here. */
const mayBeForged = ({ byCookie, isSafe, forwarding }: IdentifiedRequest): boolean =>
  byCookie && !isSafe && forwarding?.receiver !== true

function originOf(origin: string | undefined, referer: string | undefined): string {
  if (origin !== undefined) return origin
  return referer !== undefined && URL.canParse(referer) ? new URL(referer).origin : ''
}
