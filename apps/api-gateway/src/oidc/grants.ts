import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { isFirstParty } from './clients.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { resourceScopesOf } from './resource-server.ts'

/**
 * The grant an authorization works with. Clients of the platform get a new one each time, for exactly what they ask: so every
 * sign-in has a session of its own, and nobody is asked for consent.
 */
export const grantFor =
  (settings: OidcSettings) =>
  async ({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { client, session, result } = oidc
    if (client === undefined || session === undefined) return undefined
    const consented = result?.consent?.grantId ?? session.grantIdFor(client.clientId)
    if (!isFirstParty(client.clientId, settings))
      return consented === undefined ? undefined : oidc.provider.Grant.find(consented)
    return newGrant(oidc, {
      clientId: client.clientId,
      accountId: session.accountId,
      apiUrl: settings.apiUrl,
    })
  }

interface Parties {
  clientId: string
  accountId: string | undefined
  apiUrl: string
}

async function newGrant(
  oidc: KoaContextWithOIDC['oidc'],
  { clientId, accountId, apiUrl }: Parties,
): Promise<Grant> {
  const grant = new oidc.provider.Grant(accountId === undefined ? { clientId } : { clientId, accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
  grant.addResourceScope(apiUrl, resourceScopesOf(oidc.requestParamScopes).join(' '))
  await grant.save()
  return grant
}
