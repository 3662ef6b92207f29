import type { Authentication } from './authentication.ts'
import type { JwtCheck } from './jwt.ts'
import { invalidRunToken, type RunTokenClaims, verifyRunToken } from './run-token.ts'

/** What the check of the token of a run needs; `open` finds whoever the run acts for, if they are still there. */
export interface RunTokenDeps {
  issuer: string
  audience: string
  /** Among the keys of the runtime, never those that sign for sessions. */
  findKey: JwtCheck['findKey']
  open(claims: RunTokenClaims): Promise<Authentication | undefined>
}

/** What is known of a request that a run has sent. */
export interface RunRequest {
  /** As it arrived in its header. */
  readonly token: string | string[]
  readonly correlationId: string
  /** Unix milliseconds. */
  readonly now: number
}

/**
 * Checks the token that the runtime sends with each request of an automation to the platform itself. It counts once and
 * for seconds, so nothing of it is kept in memory.
 */
export const runTokenCredential = (deps: RunTokenDeps) => ({
  /** Throws AuthenticationError for one that is bad, expired, or made for a request of another name. */
  async check({ token, correlationId, now }: RunRequest): Promise<RunTokenClaims> {
    if (typeof token !== 'string') throw invalidRunToken()
    const { findKey, issuer, audience } = deps
    const claims = await verifyRunToken(token, 'call', { findKey, issuer, audience, now: new Date(now) })
    if (claims.correlationId !== correlationId) throw invalidRunToken()
    return claims
  },
  open: deps.open,
})
