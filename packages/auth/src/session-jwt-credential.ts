import type { CredentialResolver } from './authenticate.ts'
import type { Authentication } from './authentication.ts'
import type { AuthenticationCache } from './authentication-cache.ts'
import { invalidJwt, JWT_START, type JwtCheck, type JwtClaims, verifyJwt } from './jwt.ts'

/**
 * What the check of a JWT needs; `open` finds the session and the user behind the claims, or throws
 * AuthenticationError.
 */
export interface SessionJwtDeps {
  callers: AuthenticationCache
  issuer: string
  audience: string
  findKey: JwtCheck['findKey']
  open(claims: JwtClaims): Promise<Authentication>
}

/** Recognises the JWT of a session: any bearer that no resolver before it took, or the access-token cookie. */
export const sessionJwtCredential = (deps: SessionJwtDeps): CredentialResolver => {
  const check = async (token: string, now: number) => {
    const { findKey, issuer, audience } = deps
    return deps.open(await verifyJwt(token, { findKey, issuer, audience, now: new Date(now) }))
  }
  return ({ bearer, cookie, now }) => {
    const token = bearer ?? cookie
    if (token === undefined) return undefined
    // The cache holds credentials of all types: one of another type must not be found by the way of a JWT.
    if (!token.startsWith(JWT_START)) return Promise.reject(invalidJwt())
    return deps.callers.find(token, now) ?? deps.callers.check(token, () => check(token, now))
  }
}
