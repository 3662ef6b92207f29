import { resourceScopes } from '@platform/contracts'
import { type Configuration, errors, type KoaContextWithOIDC, type ResourceServer } from 'oidc-provider'
import { isFirstParty } from './clients.ts'
import type { OidcSettings } from './oidc-settings.ts'

type Feature = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

const scopeSet: ReadonlySet<string> = new Set(resourceScopes)

/** The API is the one resource server: it is meant whether a client names it or not, and its tokens are JWTs. */
export function resourceIndicators(settings: OidcSettings, signingAlg: () => string): Feature {
  return {
    enabled: true,
    defaultResource: () => settings.apiUrl,
    useGrantedResource: () => true,
    getResourceServerInfo(ctx, resource, client): ResourceServer {
      if (resource !== settings.apiUrl) throw new errors.InvalidTarget()
      if (isFirstParty(client.clientId, settings)) widenScope(ctx)
      return {
        scope: resourceScopes.join(' '),
        audience: settings.apiUrl,
        accessTokenFormat: 'jwt',
        accessTokenTTL: settings.accessTokenSeconds,
        jwt: { sign: { alg: signingAlg() as 'RS256' } },
      }
    },
  }
}

/**
 * A client of the platform that names no scope of the API gets all of them. And as nobody is asked for consent, `offline_access`
 * needs no `prompt=consent`, without which the server has dropped it by now.
 */
function widenScope({ oidc, query }: KoaContextWithOIDC): void {
  const { params } = oidc
  if (oidc.route !== 'authorization' || params === undefined) return
  const asked = String(query.scope ?? '').split(' ')
  const scopes = new Set(
    String(params.scope ?? '')
      .split(' ')
      .filter(Boolean),
  )
  if (asked.includes('offline_access') && oidc.client?.grantTypeAllowed('refresh_token') === true)
    scopes.add('offline_access')
  if (![...scopes].some((scope) => scopeSet.has(scope))) for (const scope of resourceScopes) scopes.add(scope)
  params.scope = [...scopes].join(' ')
}

/** Those of `scopes` that are rights at the API. */
export const resourceScopesOf = (scopes: Iterable<string>): string[] =>
  [...scopes].filter((scope) => scopeSet.has(scope))
