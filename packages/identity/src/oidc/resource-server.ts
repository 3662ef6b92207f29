import {
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type ResourceServer,
} from 'oidc-provider'
import { isFirstParty, mayUse, resourceScopesFor, scopesOf } from './client-rights.ts'
import type { OidcSettings } from './oidc-settings.ts'

type Feature = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

/** The API is the one resource server: it is meant whether a client names it or not, and its tokens are JWTs. */
export function resourceIndicators(settings: OidcSettings, signingAlg: () => string): Feature {
  return {
    enabled: true,
    defaultResource: () => settings.apiUrl,
    useGrantedResource: () => true,
    getResourceServerInfo(ctx, resource, client): ResourceServer {
      if (resource !== settings.apiUrl || !mayUse(client, resource)) throw new errors.InvalidTarget()
      widenScope(ctx, client)
      return {
        scope: scopesOf(client).join(' '),
        audience: settings.apiUrl,
        accessTokenFormat: 'jwt',
        accessTokenTTL: settings.accessTokenSeconds,
        jwt: { sign: { alg: signingAlg() as 'RS256' } },
      }
    },
  }
}

/** What a request means that names no scope. */
function widenScope({ oidc, query }: KoaContextWithOIDC, client: Client): void {
  const { params } = oidc
  if (params === undefined) return
  if (oidc.route === 'authorization') params.scope = authorizationScope(params.scope, query.scope, client)
  if (params.grant_type === 'client_credentials' && params.scope === undefined)
    params.scope = scopesOf(client).join(' ')
}

/**
 * A client of the platform that names no scope of the API gets all of its own. And `offline_access` needs no
 * `prompt=consent`, without which the server has dropped it by now: who is asked for consent reads it on the page,
 * and who was not agreed to it before.
 */
function authorizationScope(kept: unknown, given: unknown, client: Client): string {
  const asked = String(given ?? '').split(' ')
  const scopes = new Set(
    String(kept ?? '')
      .split(' ')
      .filter(Boolean),
  )
  if (asked.includes('offline_access') && client.grantTypeAllowed('refresh_token'))
    scopes.add('offline_access')
  if (isFirstParty(client) && resourceScopesFor(client, scopes).length === 0)
    for (const scope of scopesOf(client)) scopes.add(scope)
  return [...scopes].join(' ')
}
