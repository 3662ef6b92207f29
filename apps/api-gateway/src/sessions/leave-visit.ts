import { cookieTokenOf, type JwtClaims } from '@platform/auth'
import type { Sessions } from './sessions.ts'

/** Ends the anonymous session whose cookie a browser has sent, because the browser gets another cookie now. */
export type LeaveVisit = (cookies: string | undefined) => Promise<void>

/**
 * Who has planted the cookie of an anonymous session in a browser must gain nothing when its owner signs in (reliability T-SES-1). The
 * session of an account is left alone: it may still be in use in another window.
 */
export const leaveVisit =
  (deps: {
    sessions: Pick<Sessions, 'find' | 'end'>
    /** The claims of a JWT of ours whose session lives. */
    readAccessToken: (token: string) => Promise<JwtClaims | undefined>
  }): LeaveVisit =>
  async (cookies) => {
    const token = onlyTokenOf(cookies)
    const claims = token === undefined ? undefined : await deps.readAccessToken(token)
    const session = claims && (await deps.sessions.find(claims.prismeaiSessionId))
    if (session?.anonymous === true) await deps.sessions.end(session.sessionId, { reason: 'replaced' })
  }

/** Of two cookies nobody knows which is the own one: then there is no visit to leave. */
function onlyTokenOf(cookies: string | undefined): string | undefined {
  try {
    return cookieTokenOf(cookies)
  } catch {
    return undefined
  }
}
