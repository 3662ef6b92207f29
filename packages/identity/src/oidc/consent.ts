import { personalScopes } from './account.ts'
import { type RightsOf, resourceScopesFor } from './client-rights.ts'
import { isLoopbackRedirect } from './redirect-address.ts'

/** What an authorization is about, as far as a person agrees to it. */
export interface Asked {
  /** Scopes of the person's own data. */
  personal: string[]
  /** Rights at the API, within those the client may have. */
  rights: string[]
}

/** What a client asks for; scopes nobody knows and those it may not have are no part of it. */
export function askedFor(client: RightsOf, scope: unknown): Asked {
  const scopes = [...new Set(String(scope ?? '').split(' '))]
  return {
    personal: scopes.filter((name) => personalScopes.includes(name)),
    rights: resourceScopesFor(client, scopes),
  }
}

/**
 * Where the answers of a client go, as people can tell it from others: a host, or the scheme of an app. The port of a
 * loopback name is another one each time.
 */
export function addressShown(redirectUri: unknown): string {
  const url = URL.parse(String(redirectUri ?? ''))
  if (url === null) return ''
  if (isLoopbackRedirect(url)) return url.hostname
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol
}
