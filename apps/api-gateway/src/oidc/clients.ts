import type { ClientMetadata } from 'oidc-provider'
import type { OidcSettings } from './oidc-settings.ts'

/** The client behind GET /signin, for people without a console (decisions I3). */
export const GATEWAY_CLIENT_ID = 'gateway-signin'

/** Where the code of the gateway's own client is sent. */
export const gatewayCallback = (settings: Pick<OidcSettings, 'origin'>): string =>
  `${settings.origin}/signin/callback`

/** The clients every platform has. Both belong to the platform, so nobody is asked for consent. */
export function builtInClients(settings: OidcSettings): ClientMetadata[] {
  const consoleSignIn = settings.consoleUrls.map((url) => `${url}/signin`)
  return [
    {
      client_id: settings.studioClientId,
      client_name: 'Console',
      redirect_uris: consoleSignIn,
      post_logout_redirect_uris: consoleSignIn,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    {
      client_id: GATEWAY_CLIENT_ID,
      redirect_uris: [gatewayCallback(settings)],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
  ]
}

/** True for clients of the platform itself: consent-free, with every resource scope. */
export const isFirstParty = (clientId: string, settings: Pick<OidcSettings, 'studioClientId'>): boolean =>
  clientId === settings.studioClientId || clientId === GATEWAY_CLIENT_ID
