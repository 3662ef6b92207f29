import type { AccessToken, ClientCredentials, KoaContextWithOIDC, UnknownObject } from 'oidc-provider'
import type { PersonAccount } from './account.ts'
import type { GrantSessions } from './grant-sessions.ts'

type Needs = Pick<GrantSessions, 'sessionFor' | 'sessionOfProgram'>

/** Puts a session into every access token: that of its grant, or, for a program without a person, one of its own. */
export const sessionClaim =
  (grantSessions: Needs, signingKid: string | undefined) =>
  async (
    ctx: KoaContextWithOIDC,
    token: AccessToken | ClientCredentials,
  ): Promise<UnknownObject | undefined> => {
    const { client } = ctx.oidc
    if (client === undefined) return undefined
    const { clientId, clientName } = client
    const context = {
      clientId,
      clientName,
      signingKid,
      ip: ctx.ip,
      userAgent: ctx.get('user-agent') || undefined,
    }
    if (token.kind === 'ClientCredentials') {
      const seconds = token.expiration
      return { prismeaiSessionId: await grantSessions.sessionOfProgram({ ...context, seconds }) }
    }
    const { grantId, accountId, sessionUid: browserUid } = token as AccessToken
    if (grantId === undefined) return undefined
    const { AuthorizationCode: code, RefreshToken: refresh, Account: account } = ctx.oidc.entities
    const source = code ?? refresh
    const offline = source?.scopes.has('offline_access') ?? false
    const grant = {
      grantId,
      accountId,
      browserUid,
      offline,
      amr: source?.amr ?? [],
      authTime: source?.authTime,
    }
    const person = (account as PersonAccount | undefined)?.user
    return { prismeaiSessionId: await grantSessions.sessionFor({ ...context, ...grant, person }) }
  }

interface Jwt {
  header?: UnknownObject | undefined
  payload: UnknownObject
}

/**
 * The nine claims and nothing else. The server reads its clock twice, so that a second may pass between `iat` and
 * `exp`: what counts is how long the token lasts.
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
