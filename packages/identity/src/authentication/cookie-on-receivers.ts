import type { IncomingHttpHeaders } from 'node:http'
import { claimedSession, cookieTokenOf } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import type { CsrfTokens } from '../sessions/access-token-cookie.ts'

/** Whether the cookie of a request to a receiver says who calls. */
export type CookieOnReceivers = (headers: IncomingHttpHeaders) => boolean

/**
 * Receivers take calls from everywhere, and a link or a picture on any page makes a browser send its cookie there. So
 * it counts only from a page of ours and with the CSRF token of its session, whatever the verb; otherwise nobody is
 * signed in.
 */
export const cookieOnReceivers = (deps: {
  csrf: CsrfTokens
  allowedOrigins: readonly string[]
}): CookieOnReceivers => {
  const allowed = new Set(deps.allowedOrigins)
  return (headers) => {
    const csrfToken = headers[names.csrfToken]
    if (typeof csrfToken !== 'string') return false
    const { origin } = headers
    const isOurs = origin === undefined ? headers['sec-fetch-site'] === 'same-origin' : allowed.has(origin)
    if (!isOurs) return false
    // Unverified: a session that is only claimed is found out when the token is checked.
    const token = cookieTokenOf(headers.cookie)
    const sessionId = token && claimedSession(token)
    return sessionId !== undefined && deps.csrf.accepts(csrfToken, sessionId)
  }
}
