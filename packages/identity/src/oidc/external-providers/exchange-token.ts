import { exchangeToken as endpoint, resourceScopes } from '@platform/contracts'
import { type RequestInfo, respond, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import type { SignInLog } from '../../audit/sign-in-log.ts'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import { accessTokenCookie, type CookiePolicy } from '../../sessions/access-token-cookie.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { presentUser, type UserRecord } from '../../users/user.ts'
import type { AuthProvider } from './auth-provider.ts'
import type { LinkAccount } from './link-account.ts'
import { ProviderRefused, ProviderUnavailable } from './provider-error.ts'
import type { Providers } from './providers.ts'
import type { RelyingParty } from './relying-party.ts'
import { isOwnNonce } from './sign-in-secrets.ts'

interface Needs {
  providers: Pick<Providers, 'findBySlug'>
  relyingParty: Pick<RelyingParty, 'verify'>
  linkAccount: LinkAccount
  sessions: Pick<Sessions, 'start'>
  mintJwt: MintJwt
  signInLog: Pick<SignInLog, 'failed'>
  clock: Clock
  cookies: CookiePolicy
  clientId: string
  /** Marks the nonces of sign-ins in a browser. */
  cookieSecret: string
}

/** POST /v2/login/token-exchange — a session for whoever holds an id token of a provider that allows it. */
export const exchangeToken = (needs: Needs) =>
  route(endpoint, {
    async handle({ body, request }) {
      const provider = await allowedProvider(body.provider, needs.providers)
      const user = await personOf(provider, body.subject_token, request, needs)
      return startSession(provider, user, body.expiresAfter, request, needs)
    },
  })

/** The same refusal for one that does not exist: nobody can ask which there are. */
async function allowedProvider(slug: string, providers: Needs['providers']): Promise<AuthProvider> {
  const provider = await providers.findBySlug(slug)
  if (provider?.enabled === true && provider.config.allowTokenExchange === true) return provider
  throw new Failure('ForbiddenError', 'Tokens of this provider can’t be exchanged here.')
}

async function personOf(
  provider: AuthProvider,
  token: string,
  { clientIp: ip, correlationId, log }: RequestInfo,
  { relyingParty, linkAccount, signInLog, cookieSecret }: Needs,
): Promise<UserRecord> {
  const { slug } = provider
  const verified = await relyingParty.verify(provider, token).catch((error: unknown) => {
    log.warn({ provider: slug, reason: (error as Error).message, correlationId }, 'token exchange failed')
    return failureOf(error)
  })
  if (verified instanceof Failure || isOwnNonce(verified.claims.nonce, cookieSecret)) {
    if (!(verified instanceof Failure && verified.status === 503))
      await signInLog.failed({ provider: slug, email: undefined, ip, correlationId })
    throw verified instanceof Failure ? verified : badToken()
  }
  const linked = await linkAccount(provider, verified.identity)
  if ('user' in linked) return linked.user
  await signInLog.failed({ provider: slug, email: verified.identity.email, ip, correlationId })
  throw new Failure('ForbiddenError', REFUSED[linked.refused])
}

const REFUSED = {
  deactivated: 'This account is deactivated: ask an administrator to activate it.',
  taken: 'The address has an account that was not confirmed by mail: sign in to it with its password.',
}

const badToken = (): Failure =>
  new Failure('InvalidOrExpiredToken', 'The token is not valid or has expired: get a new one.')

function failureOf(error: unknown): Failure {
  if (error instanceof ProviderRefused) return badToken()
  if (!(error instanceof ProviderUnavailable)) throw error
  const message = 'The provider does not answer right now: try again shortly.'
  return new Failure('ServiceUnavailable', message, { retryAfterSeconds: 10 })
}

async function startSession(
  { slug }: AuthProvider,
  user: UserRecord,
  expiresAfter: number | undefined,
  { clientIp: ip, headers }: RequestInfo,
  { sessions, mintJwt, clock, cookies, clientId }: Needs,
) {
  const seconds = Math.min(expiresAfter ?? cookies.maxAgeSeconds, cookies.maxAgeSeconds)
  const expiresAt = new Date(clock.now().getTime() + seconds * 1000)
  const owner = { userId: user.id, clientId, expiresAt }
  const userAgent = headers['user-agent']
  const { sessionId } = await sessions.start({
    ...owner,
    anonymous: false,
    ip,
    ...(userAgent === undefined ? {} : { userAgent }),
    signIn: { provider: slug, email: user.email, authData: user.authData },
  })
  const token = mintJwt({ ...owner, sessionId, scopes: resourceScopes })
  const session = {
    ...presentUser(user),
    userId: user.id,
    sessionId,
    token,
    expires: expiresAt.toISOString(),
  }
  return respond(session, { headers: { 'set-cookie': accessTokenCookie(token, cookies, seconds) } })
}
