import { resourceScopes } from '@platform/contracts'
import type { Client } from 'oidc-provider'

/** What a client is judged by; the names are those of its metadata. */
export type RightsOf = Pick<Client, 'clientId'> & { [name: string]: unknown }

/** The metadata of clients beyond those of OpenID Connect. */
export const clientRights = ['allowedResources', 'resourceScopes', 'firstParty'] as const

const known: ReadonlySet<string> = new Set(resourceScopes)

/** True for clients of the platform itself: nobody is asked for consent, and naming no scope means all of its own. */
export const isFirstParty = (client: RightsOf): boolean => client.firstParty === true

/** The rights at the API a client may be given at most. */
export const scopesOf = (client: { [name: string]: unknown }): string[] =>
  String(client.resourceScopes ?? '')
    .split(' ')
    .filter((scope) => known.has(scope))

/** Those of `scopes` that are rights at the API and that the client may have. */
export function resourceScopesFor(client: RightsOf, scopes: Iterable<string>): string[] {
  const own = new Set(scopesOf(client))
  return [...scopes].filter((scope) => own.has(scope))
}

/** True when a client may ask for tokens of this resource. */
export const mayUse = (client: RightsOf, resource: string): boolean =>
  Array.isArray(client.allowedResources) && client.allowedResources.includes(resource)

/** Origins of the pages of a client: where its answers are sent. */
export const originsOf = (client: Pick<Client, 'redirectUris'>): string[] =>
  (client.redirectUris ?? []).flatMap((uri) => {
    const origin = URL.parse(uri)?.origin
    return origin === undefined || origin === 'null' ? [] : [origin]
  })
