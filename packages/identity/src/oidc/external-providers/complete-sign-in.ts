import { randomBytes } from 'node:crypto'
import { type RequestInfo, type RouteResponse, respond } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { SignInLog } from '../../audit/sign-in-log.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { AuthProvider } from './auth-provider.ts'
import { type BindingScope, forgetBindingCookie, readBinding } from './browser-binding.ts'
import type { ExternalIdentity } from './external-identity.ts'
import { type ExternalProblem, nameOf, problemAnswer } from './external-pages.ts'
import type { LinkAccount } from './link-account.ts'
import type { PendingSignIn, PendingSignInStore } from './pending-sign-in-store.ts'
import { ProviderRefused, ProviderUnavailable } from './provider-error.ts'
import type { Providers } from './providers.ts'
import type { RelyingParty } from './relying-party.ts'

/** What finishing needs. */
export interface CompleteNeeds {
  providers: Pick<Providers, 'findBySlug'>
  relyingParty: Pick<RelyingParty, 'finish'>
  logins: Pick<PendingSignInStore, 'take' | 'insertTicket'>
  linkAccount: LinkAccount
  signInLog: Pick<SignInLog, 'failed'>
  settings: OidcSettings
  binding: BindingScope
  clock: Clock
}

/** Checks what a provider has answered, and leads back to the authorization. */
export type CompleteSignIn = (parameters: URLSearchParams, request: RequestInfo) => Promise<RouteResponse>

/** As long as a redirect takes. */
const TICKET_SECONDS = 120

export const completeSignIn =
  (needs: CompleteNeeds): CompleteSignIn =>
  async (parameters, request) => {
    const { settings, logins, providers, clock } = needs
    const state = parameters.get('state') ?? ''
    const browser = readBinding(request.headers.cookie, state)
    const login = browser === undefined ? undefined : await logins.take({ state, browser }, clock.now())
    const provider = login && (await providers.findBySlug(login.provider))
    if (login === undefined || provider?.enabled !== true)
      return problemAnswer('expired', request, { name: '', startUrl: `${settings.origin}/signin` })

    const outcome = await personOf(provider, login, parameters, needs)
    if ('problem' in outcome) return refuse(provider, login, state, outcome, request, needs)

    const ticket = randomBytes(32).toString('base64url')
    const expiresAt = new Date(clock.now().getTime() + TICKET_SECONDS * 1000)
    const { interactionUid } = login
    await logins.insertTicket(
      ticket,
      { interactionUid, provider: provider.slug, userId: outcome.userId },
      expiresAt,
    )
    const location = `${settings.issuer}/interaction/${interactionUid}/external?ticket=${ticket}`
    const headers = {
      location,
      'cache-control': 'no-store',
      'set-cookie': forgetBindingCookie(state, needs.binding),
    }
    return respond('', { status: 302, contentType: 'text/html; charset=utf-8', headers })
  }

type Outcome = { userId: string } | { problem: ExternalProblem; reason: string; email?: string | undefined }

async function personOf(
  provider: AuthProvider,
  { nonce, verifier }: PendingSignIn,
  parameters: URLSearchParams,
  { relyingParty, linkAccount }: CompleteNeeds,
): Promise<Outcome> {
  let identity: ExternalIdentity
  try {
    const state = parameters.get('state') ?? ''
    identity = await relyingParty.finish(provider, parameters, { state, nonce, verifier })
  } catch (error) {
    return { problem: problemOf(error, parameters), reason: error instanceof Error ? error.message : '' }
  }
  const linked = await linkAccount(provider, identity)
  if ('user' in linked) return { userId: linked.user.id }
  return { problem: linked.refused, reason: linked.refused, email: identity.email }
}

function problemOf(error: unknown, parameters: URLSearchParams): ExternalProblem {
  if (error instanceof ProviderUnavailable) return 'unavailable'
  if (error instanceof ProviderRefused) return parameters.has('error') ? 'refused' : 'unverified'
  throw error
}

async function refuse(
  provider: AuthProvider,
  { interactionUid }: PendingSignIn,
  state: string,
  { problem, reason, email }: Extract<Outcome, { problem: ExternalProblem }>,
  request: RequestInfo,
  { settings, signInLog, binding }: CompleteNeeds,
): Promise<RouteResponse> {
  const { clientIp: ip, correlationId, log } = request
  log.warn({ provider: provider.slug, problem, reason, correlationId }, 'external sign-in failed')
  if (problem !== 'unavailable') await signInLog.failed({ provider: provider.slug, email, ip, correlationId })
  return problemAnswer(problem, request, {
    name: nameOf(provider),
    startUrl: `${settings.issuer}/interaction/${interactionUid}/password`,
    headers: { 'set-cookie': forgetBindingCookie(state, binding) },
  })
}
