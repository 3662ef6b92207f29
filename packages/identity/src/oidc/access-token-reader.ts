import { type JwtClaims, verifyJwt } from '@platform/auth'
import { type Clock, Failure } from '@platform/kernel'
import type { Verifier } from '@platform/signing-keys'
import type { Sessions } from '../sessions/sessions.ts'
import type { OidcSettings } from './oidc-settings.ts'

/**
 * The claims of one of our JWTs whose session lives; undefined for anything else. Rejects with StoreError when it
 * can't tell.
 */
export type ReadAccessToken = (token: string) => Promise<JwtClaims | undefined>

interface Needs {
  keyRing: { findOrReload(kid: string): Promise<Verifier | undefined> }
  sessions: Pick<Sessions, 'find'>
  settings: Pick<OidcSettings, 'issuer' | 'apiUrl'>
  clock: Clock
}

export const accessTokenReader =
  ({ keyRing, sessions, settings, clock }: Needs): ReadAccessToken =>
  async (token) => {
    const claims = await claimsOf(token, { keyRing, settings, clock })
    const session = claims && (await sessions.find(claims.prismeaiSessionId))
    return session?.userId === claims?.sub ? claims : undefined
  }

async function claimsOf(
  token: string,
  { keyRing, settings, clock }: Omit<Needs, 'sessions'>,
): Promise<JwtClaims | undefined> {
  try {
    return await verifyJwt(token, {
      findKey: (kid) => keyRing.findOrReload(kid),
      issuer: settings.issuer,
      audience: settings.apiUrl,
      now: clock.now(),
    })
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
