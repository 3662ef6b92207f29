import type { AuthProviderConfig } from '@platform/contracts'
import type { Outbound } from '@platform/outbound'
import * as client from 'openid-client'
import type { AuthProvider } from './auth-provider.ts'
import { type ExternalIdentity, externalIdentity, wantsUserinfo } from './external-identity.ts'
import { type ConfigurationNeeds, keptConfigurations } from './provider-configurations.ts'
import { providerError } from './provider-error.ts'

/** What a sign-in is bound to; the nonce and the verifier stay here, the state travels. */
export interface SignInSecrets {
  state: string
  nonce: string
  verifier: string
}

/** The OpenID protocol, this platform being the client. Rejects with ProviderUnavailable or ProviderRefused. */
export interface RelyingParty {
  /** Where to send the browser. */
  authorizationUrl(provider: AuthProvider, secrets: SignInSecrets, loginHint?: string): Promise<string>
  /** Who has come back with `answer`, the query of the callback. */
  finish(provider: AuthProvider, answer: URLSearchParams, secrets: SignInSecrets): Promise<ExternalIdentity>
  /** Whom an id token is about that was obtained elsewhere, with the claims it has. */
  verify(
    provider: AuthProvider,
    idToken: string,
  ): Promise<{ identity: ExternalIdentity; claims: Record<string, unknown> }>
}

interface Needs extends ConfigurationNeeds {
  redirectUri: string
}

export function relyingParty(needs: Needs): RelyingParty {
  const { redirectUri } = needs
  const configurationOf = keptConfigurations(needs)
  const verifyingOf = keptConfigurations({
    ...needs,
    outbound: { fetch: answeringItself(needs.outbound.fetch) },
  })
  return {
    authorizationUrl: (provider, secrets, loginHint) =>
      asProviderError(async () => {
        const configuration = await configurationOf(provider.config)
        const parameters = await authorizationParameters(provider.config, secrets, redirectUri)
        if (loginHint !== undefined) parameters.login_hint = loginHint
        return client.buildAuthorizationUrl(configuration, parameters).href
      }),

    finish: (provider, answer, { state, nonce, verifier }) =>
      asProviderError(async () => {
        const configuration = await configurationOf(provider.config)
        const url = new URL(redirectUri)
        url.search = answer.toString()
        const tokens = await client.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
          ...(provider.config.pkce === false ? {} : { pkceCodeVerifier: verifier }),
        })
        const idToken = { ...tokens.claims() }
        const userinfo = await userinfoOf(configuration, provider, idToken, tokens.access_token)
        return externalIdentity(provider, { issuer: String(idToken.iss), idToken, ...userinfo })
      }),

    verify: (provider, idToken) =>
      asProviderError(async () => {
        const configuration = await verifyingOf(provider.config)
        const answered = await client.genericGrantRequest(configuration, 'id_token', { id_token: idToken })
        const claims = { ...answered.claims() }
        const identity = externalIdentity(provider, { issuer: String(claims.iss), idToken: claims })
        return { identity, claims }
      }),
  }
}

async function asProviderError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw providerError(error)
  }
}

async function authorizationParameters(
  { scopes = ['openid', 'profile', 'email'], pkce }: AuthProviderConfig,
  { state, nonce, verifier }: SignInSecrets,
  redirectUri: string,
): Promise<Record<string, string>> {
  const parameters = {
    redirect_uri: redirectUri,
    scope: [...new Set(['openid', ...scopes])].join(' '),
    state,
    nonce,
  }
  if (pkce === false) return parameters
  const challenge = await client.calculatePKCECodeChallenge(verifier)
  return { ...parameters, code_challenge: challenge, code_challenge_method: 'S256' }
}

/** Many providers put little into the id token. */
async function userinfoOf(
  configuration: client.Configuration,
  provider: AuthProvider,
  idToken: Record<string, unknown>,
  accessToken: string,
): Promise<{ userinfo?: Record<string, unknown> }> {
  const hasUserinfo = configuration.serverMetadata().userinfo_endpoint !== undefined
  if (!hasUserinfo || !wantsUserinfo(provider, idToken)) return {}
  return { userinfo: await client.fetchUserInfo(configuration, accessToken, String(idToken.sub)) }
}

/**
 * The library checks id tokens where they come from: in the answer of a token endpoint. So one that came otherwise is
 * given to it as such an answer, and meets exactly the checks of a sign-in. Everything but that answer is fetched as
 * always.
 */
const answeringItself =
  (fetch: Outbound['fetch']): Outbound['fetch'] =>
  async (url, options) => {
    if (options?.method !== 'POST') return fetch(url, options)
    const idToken = new URLSearchParams(String(options.body)).get('id_token')
    return Response.json({ access_token: 'none', token_type: 'bearer', id_token: idToken })
  }
