import { randomUUID } from 'node:crypto'
import { signJwt } from '@platform/auth'
import type { Clock } from '@platform/kernel'
import type { Signer } from '@platform/signing-keys'

/** Whom a JWT is for and how long it lasts. */
export interface JwtSubject {
  sessionId: string
  userId: string
  clientId: string
  scopes: readonly string[]
  expiresAt: Date
}

/** Signs the JWT of a session. */
export type MintJwt = (subject: JwtSubject) => string

/** Mints JWTs with exactly nine claims, signed by the key that signs now. */
export const jwtMint =
  (deps: { keyRing: { signing(): Signer }; issuer: string; audience: string; clock: Clock }): MintJwt =>
  (subject) =>
    signJwt(
      {
        prismeaiSessionId: subject.sessionId,
        jti: randomUUID(),
        sub: subject.userId,
        iat: unixSeconds(deps.clock.now()),
        exp: unixSeconds(subject.expiresAt),
        scope: subject.scopes.join(' '),
        client_id: subject.clientId,
        iss: deps.issuer,
        aud: deps.audience,
      },
      deps.keyRing.signing(),
    )

const unixSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)
