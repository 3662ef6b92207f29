import { createHmac, timingSafeEqual } from 'node:crypto'

/** CSRF tokens of this installation (decisions C11): nothing is stored, the token follows from the session. */
export interface CsrfTokens {
  of(sessionId: string): string
  accepts(token: string | undefined, sessionId: string): boolean
}

export function csrfTokens(cookieSecret: string): CsrfTokens {
  const of = (sessionId: string) =>
    createHmac('sha256', cookieSecret).update(`csrf ${sessionId}`).digest('base64url')
  return {
    of,
    accepts(token, sessionId) {
      const expected = Buffer.from(of(sessionId))
      const given = Buffer.from(token ?? '')
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
