import { resourceScopes } from '@platform/contracts'
import type { ClientMetadata } from 'oidc-provider'
import type { ExternalClient } from './external-clients.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** The client behind GET /signin, for people without a console. */
export const GATEWAY_CLIENT_ID = 'gateway-signin'

/** Where the code of the gateway's own client is sent. */
export const gatewayCallback = (settings: Pick<OidcSettings, 'origin'>): string =>
  `${settings.origin}/signin/callback`

/** The clients that need no registration: those every platform has, and those its environment names. */
export function builtInClients(settings: OidcSettings): ClientMetadata[] {
  const consoleSignIn = settings.consoleUrls.map((url) => `${url}/signin`)
  const own = {
    firstParty: true,
    allowedResources: [settings.apiUrl],
    resourceScopes: resourceScopes.join(' '),
    response_types: ['code'] as const,
    token_endpoint_auth_method: 'none',
  } as const
  return [
    {
      ...own,
      client_id: settings.studioClientId,
      client_name: 'Console',
      redirect_uris: consoleSignIn,
      post_logout_redirect_uris: consoleSignIn,
      grant_types: ['authorization_code', 'refresh_token'],
    },
    {
      ...own,
      client_id: GATEWAY_CLIENT_ID,
      redirect_uris: [gatewayCallback(settings)],
      grant_types: ['authorization_code'],
    },
    ...settings.externalClients.map((client) => nativeClient(client, settings)),
  ]
}

/** Tells applications of the platform itself from those of others, by their ids. */
export function ownClients(
  settings: Pick<OidcSettings, 'studioClientId' | 'externalClients'>,
): (clientId: string) => boolean {
  const apps = settings.externalClients.filter(({ firstParty }) => firstParty)
  const own = new Set([settings.studioClientId, GATEWAY_CLIENT_ID, ...apps.map((app) => app.client_id)])
  return (clientId) => own.has(clientId)
}

/** An app of a phone, a desktop or a terminal: it keeps no secret, so PKCE stands in for one (RFC 8252). */
const nativeClient = (client: ExternalClient, { apiUrl }: OidcSettings): ClientMetadata => ({
  client_id: client.client_id,
  client_name: client.client_name,
  application_type: 'native',
  redirect_uris: client.redirect_uris,
  post_logout_redirect_uris: client.redirect_uris,
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  firstParty: client.firstParty,
  allowedResources: [apiUrl],
  resourceScopes: client.resourceScopes.join(' '),
})
