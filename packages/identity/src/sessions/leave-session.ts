import { cookieTokenOf, type JwtClaims } from '@platform/auth'
import type { Session, Sessions } from './sessions.ts'

/** Ends the anonymous session whose cookie a browser has sent, because the browser gets another cookie now. */
export type LeaveSession = (cookies: string | undefined) => Promise<void>

/**
 * Who has planted the cookie of an anonymous session in a browser must gain nothing when its owner signs in. The
 * session of an account is left alone: it may still be in use in another window.
 */
export const leaveSession = (deps: {
  sessions: Pick<Sessions, 'end'>
  browserSession: BrowserSession
}): LeaveSession => {
  const { sessions, browserSession } = deps
  return async (cookies) => {
    const session = await browserSession(cookies)
    if (session?.anonymous === true) await sessions.end(session.sessionId, { reason: 'replaced' })
  }
}

/** The live session of the cookie that a browser has sent. */
export type BrowserSession = (cookies: string | undefined) => Promise<Session | undefined>

export const findBrowserSession =
  (deps: {
    sessions: Pick<Sessions, 'find'>
    /** The claims of a JWT of ours whose session lives. */
    readAccessToken: (token: string) => Promise<JwtClaims | undefined>
  }): BrowserSession =>
  async (cookies) => {
    const token = onlyTokenOf(cookies)
    const claims = token === undefined ? undefined : await deps.readAccessToken(token)
    return claims && deps.sessions.find(claims.prismeaiSessionId)
  }

/** Of two cookies nobody knows which is the own one: then there is no session to leave. */
function onlyTokenOf(cookies: string | undefined): string | undefined {
  try {
    return cookieTokenOf(cookies)
  } catch {
    return undefined
  }
}
