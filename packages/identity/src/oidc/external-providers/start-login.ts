import { startLogin as endpoint, type QueryOf } from '@platform/contracts'
import { type RequestInfo, type RouteResponse, respond, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import type { OidcSettings } from '../oidc-settings.ts'
import { type AuthProvider, noSuchProvider } from './auth-provider.ts'
import { type BindingScope, bindingCookie, newBinding } from './browser-binding.ts'
import { nameOf, problemAnswer } from './external-pages.ts'
import type { PendingSignInStore } from './pending-sign-in-store.ts'
import { ProviderUnavailable } from './provider-error.ts'
import type { Providers } from './providers.ts'
import type { RelyingParty } from './relying-party.ts'
import { newSignInSecrets } from './sign-in-secrets.ts'

interface Needs {
  providers: Providers
  relyingParty: Pick<RelyingParty, 'authorizationUrl'>
  logins: Pick<PendingSignInStore, 'insert'>
  settings: OidcSettings
  binding: BindingScope
  clock: Clock
}

type Query = QueryOf<typeof endpoint>

const LOGIN_SECONDS = 600

/** GET /v2/login — leaves for the provider of a slug or a mail domain. */
export const startLogin = (needs: Needs) =>
  route(endpoint, {
    async handle({ query, request }) {
      const provider = await wantedProvider(query, needs.providers)
      if (provider === undefined) return { provider: 'local' }

      const { interaction } = query
      if (interaction === undefined) return redirect(signInUrl(provider, query, needs.settings))
      // Each start keeps a row for ten minutes, and asks a provider that may be slow.
      await request.takeLimit('externalLogin', request.clientIp)
      return leave(provider, interaction, loginHintOf(query), request, needs)
    },
  })

/** Undefined where passwords of this platform are meant. */
async function wantedProvider(
  { provider: slug, domain }: Query,
  providers: Providers,
): Promise<AuthProvider | undefined> {
  if (slug === undefined && domain === undefined)
    throw new Failure('RequestValidationError', 'Name a provider, or a mail domain: ?provider= or ?domain=.')
  if (slug === undefined) return providers.findByDomain(domain ?? '')
  if (slug === 'local' || slug === 'prismeai') return undefined
  const found = await providers.findBySlug(slug)
  if (found === undefined) throw noSuchProvider(slug)
  if (!found.enabled) throw new Failure('ForbiddenError', `Signing in with ${slug} is switched off.`)
  return found
}

async function leave(
  provider: AuthProvider,
  interactionUid: string,
  loginHint: string | undefined,
  request: RequestInfo,
  { relyingParty, logins, settings, binding, clock }: Needs,
): Promise<RouteResponse> {
  const secrets = newSignInSecrets(settings.cookieSecret)
  const { state, nonce, verifier } = secrets
  try {
    const url = await relyingParty.authorizationUrl(provider, secrets, loginHint)
    const browser = newBinding()
    const expiresAt = new Date(clock.now().getTime() + LOGIN_SECONDS * 1000)
    const login = { provider: provider.slug, interactionUid, nonce, verifier }
    await logins.insert({ state, browser }, login, expiresAt)
    return redirect(url, bindingCookie(state, browser, LOGIN_SECONDS, binding))
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    request.log.warn({ provider: provider.slug, reason: error.message }, 'sign-in provider unavailable')
    const startUrl = `${settings.issuer}/interaction/${interactionUid}/password`
    return problemAnswer('unavailable', request, { name: nameOf(provider), startUrl })
  }
}

/** There is always an authorization to come back to: without one, the gateway's own begins, and leads here again. */
function signInUrl({ slug }: AuthProvider, query: Query, { origin }: OidcSettings): string {
  const url = new URL(`${origin}/signin`)
  url.searchParams.set('acr_values', `idp:${slug}`)
  // Somebody who asks for this provider does not mean the account this browser is signed in to.
  url.searchParams.set('prompt', 'login')
  const hint = loginHintOf(query)
  if (hint !== undefined) url.searchParams.set('login_hint', hint)
  return url.href
}

const loginHintOf = ({ domain }: Query): string | undefined => (domain?.includes('@') ? domain : undefined)

const redirect = (location: string, cookie?: string): RouteResponse =>
  respond('', {
    status: 302,
    contentType: 'text/html; charset=utf-8',
    headers: {
      location,
      'cache-control': 'no-store',
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    },
  })
