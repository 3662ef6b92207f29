import type { AccessToken, ClientCredentials, KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import type { SignIns } from './sign-ins.ts'

/** Puts the session of its grant into every access token. */
export const sessionClaim =
  (signIns: Pick<SignIns, 'sessionFor'>) =>
  async (
    ctx: KoaContextWithOIDC,
    token: AccessToken | ClientCredentials,
  ): Promise<UnknownObject | undefined> => {
    if (token.kind !== 'AccessToken') return undefined
    const { grantId, accountId, clientId, sessionUid } = token
    if (grantId === undefined || clientId === undefined) return undefined
    const { AuthorizationCode: code, RefreshToken: refresh } = ctx.oidc.entities
    const sessionId = await signIns.sessionFor({
      grantId,
      accountId,
      clientId,
      browserUid: sessionUid,
      offline: (code ?? refresh)?.scopes.has('offline_access') ?? false,
      ip: ctx.ip,
      userAgent: ctx.get('user-agent') || undefined,
    })
    return { prismeaiSessionId: sessionId }
  }

interface Jwt {
  header?: UnknownObject | undefined
  payload: UnknownObject
}

/**
 * The nine claims and nothing else. The server reads its clock twice, so that a second may pass between `iat` and `exp`: what counts
 * is how long the token lasts.
 */
export function exactClaims(
  _ctx: KoaContextWithOIDC,
  token: AccessToken | ClientCredentials,
  jwt: Jwt,
): void {
  const { prismeaiSessionId, jti, sub, exp, scope, client_id, iss, aud } = jwt.payload
  const iat = Number(exp) - token.expiration
  jwt.payload = { prismeaiSessionId, jti, sub, iat, exp, scope: scope ?? '', client_id, iss, aud }
}
