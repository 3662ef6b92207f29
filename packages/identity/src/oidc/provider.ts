import type { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ACCESS_TOKEN_COOKIE } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import { type JWKS, type KoaContextWithOIDC, Provider, type Session } from 'oidc-provider'
import { accessTokenCookie, forgetAccessTokenCookie } from '../sessions/access-token-cookie.ts'
import type { LeaveSession } from '../sessions/leave-session.ts'
import { admitPages } from './admit-pages.ts'
import { type ProviderNeeds, providerConfiguration } from './provider-configuration.ts'
import { answerUnavailable, isUnavailable } from './render-pages.ts'

type Next = () => Promise<unknown>
type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The OIDC server of this moment. */
export interface LiveProvider {
  provider(): Provider
  /** Answers a request as the current server does. */
  listener: Listener
}

/** What the key ring is asked for. */
export interface SigningKeys {
  /** The signing key first. */
  privateJwks(): JWKS['keys'][number][]
  /** Throws StoreError while there is no key. */
  signing(): unknown
  onChange(listener: () => void): unknown
}

interface Needs extends ProviderNeeds {
  keyRing: SigningKeys
  /** The cookie that is given takes the place of a visitor's. */
  leaveSession: LeaveSession
  log: Logger
}

/**
 * An OIDC server that follows the signing keys: with each change a new one is made over the same records, and what is
 * under way ends on the one it began with. It exists from the first key on.
 */
export function liveProvider(needs: Needs): LiveProvider {
  let current = build(needs)
  needs.keyRing.onChange(() => {
    current = build(needs)
  })
  const require = () => {
    needs.keyRing.signing()
    current ??= build(needs)
    if (current === undefined)
      throw new Error('There is a signing key, but it was not given to the OIDC server.')
    return current
  }
  return {
    provider: () => require().provider,
    listener: (request, response) => require().listener(request, response),
  }
}

function build(needs: Needs): { provider: Provider; listener: Listener } | undefined {
  const keys = needs.keyRing.privateJwks()
  if (keys.length === 0) return undefined
  const provider = new Provider(needs.settings.issuer, providerConfiguration(needs, { keys }))
  // The listener in front writes the forwarded headers itself, so they hold the public address and nothing a client
  // says.
  provider.proxy = true
  const thrown = new WeakMap<ServerResponse, Thrown>()
  provider.use((ctx, next) => keepThrown(ctx as unknown as KoaContextWithOIDC, next, thrown))
  provider.use((ctx, next) => withCookies(ctx as unknown as KoaContextWithOIDC, next, needs))
  provider.on('server_error', (ctx, error) => {
    const level = isUnavailable(error) ? 'warn' : 'error'
    needs.log[level]({ err: error, route: ctx.oidc?.route }, 'oidc request failed')
    answerUnavailable(ctx, error)
  })
  const emitter: EventEmitter = provider
  emitter.on('error', (error: unknown) => needs.log.error({ err: error }, 'oidc request failed'))
  const answer = provider.callback()
  const listener: Listener = async (request, response) => {
    await answer(request, response)
    const error = thrown.get(response)
    if (error !== undefined) throw error.reason
  }
  return { provider, listener }
}

/** What was thrown, which may be anything. */
interface Thrown {
  reason: unknown
}

/**
 * An error past the server's own pages, when a session can't be kept for example: whoever asked answers it, not Koa
 * with a bare text.
 */
async function keepThrown(
  ctx: KoaContextWithOIDC,
  next: Next,
  thrown: WeakMap<ServerResponse, Thrown>,
): Promise<void> {
  try {
    await next()
  } catch (reason) {
    thrown.set(ctx.res, { reason })
    ctx.remove('location')
    ctx.respond = false
  }
}

/** What goes with some answers of the server: the cookie of the API with a token, its end with signing out. */
async function withCookies(ctx: KoaContextWithOIDC, next: Next, needs: Needs): Promise<void> {
  await next()
  admitPages(ctx, needs.settings)
  const route = (ctx.oidc as KoaContextWithOIDC['oidc'] | undefined)?.route
  if (route === 'token') await giveCookie(ctx, needs)
  if (route === 'end_session_confirm') await endBrowser(ctx, needs)
}

/** Only to pages of the platform: another site must not be able to sign a browser in to an account of its choice. */
async function giveCookie(ctx: KoaContextWithOIDC, { settings, leaveSession }: Needs): Promise<void> {
  const { AccessToken: issued } = ctx.oidc.entities
  const origin = ctx.get('origin')
  const { access_token: jwt, expires_in: seconds } = (ctx.body ?? {}) as {
    access_token?: string
    expires_in?: number
  }
  if (ctx.status !== 200 || jwt === undefined || issued === undefined) return
  if (origin !== '' && !settings.trustedOrigins.includes(origin)) return
  await leaveSession(ctx.get('cookie'))
  ctx.append('set-cookie', accessTokenCookie(jwt, settings.cookies, seconds))
}

/** With the browser session also that of the cookie: it may have outlived the browser session it came from. */
async function endBrowser(
  ctx: KoaContextWithOIDC,
  { grantSessions, settings, readAccessToken }: Needs,
): Promise<void> {
  const session = ctx.oidc.session as (Session & { destroyed?: boolean }) | undefined
  if (session?.destroyed !== true) return
  await grantSessions.endBrowser(session.uid)
  const token = ctx.cookies.get(ACCESS_TOKEN_COOKIE, { signed: false })
  const claims = token === undefined ? undefined : await readAccessToken(token)
  if (claims !== undefined) await grantSessions.endSession(claims.prismeaiSessionId)
  ctx.append('set-cookie', forgetAccessTokenCookie(settings.cookies))
}
