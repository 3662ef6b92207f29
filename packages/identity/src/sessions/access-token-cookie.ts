import { createHmac, timingSafeEqual } from 'node:crypto'
import { ACCESS_TOKEN_COOKIE } from '@platform/contracts'

/** How the cookie of this installation is made. */
export interface CookiePolicy {
  maxAgeSeconds: number
  /** Off only where API_URL is http on a loopback name. */
  secure: boolean
}

const attributes = (policy: CookiePolicy) =>
  `Path=/; HttpOnly; SameSite=Lax${policy.secure ? '; Secure' : ''}`

/** The Set-Cookie value that carries a JWT in a browser. `maxAgeSeconds` may be less than the policy's, never more. */
export const accessTokenCookie = (
  jwt: string,
  policy: CookiePolicy,
  maxAgeSeconds = policy.maxAgeSeconds,
): string =>
  `${ACCESS_TOKEN_COOKIE}=${jwt}; Max-Age=${Math.min(maxAgeSeconds, policy.maxAgeSeconds)}; ${attributes(policy)}`

/** The Set-Cookie value that makes a browser forget its JWT. */
export const forgetAccessTokenCookie = (policy: CookiePolicy): string =>
  `${ACCESS_TOKEN_COOKIE}=; Max-Age=0; ${attributes(policy)}`

/** CSRF tokens of this installation: nothing is stored, the token follows from the session. */
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
