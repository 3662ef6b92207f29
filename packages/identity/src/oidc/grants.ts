import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { isFirstParty } from './client-rights.ts'
import { type Asked, addressShown, askedFor } from './consent.ts'
import type { ConsentStore } from './consent-store.ts'

interface Needs {
  apiUrl: string
  consents: Pick<ConsentStore, 'covers'>
}

/**
 * The grant an authorization works with: a new one each time, for exactly what is asked, so that every sign-in has a
 * session of its own. Others than the platform's clients get one only for what the person has allowed them before;
 * else the person is asked.
 */
export const grantFor =
  ({ apiUrl, consents }: Needs) =>
  async ({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { client, session, params } = oidc
    if (client === undefined || session?.accountId === undefined) return undefined
    const [accountId, clientId] = [session.accountId, client.clientId]
    const asked = askedFor(client, params?.scope)
    const parties = { accountId, clientId, place: addressShown(params?.redirect_uri) }
    const allowed =
      isFirstParty(client) || (await consents.covers(parties, [...asked.personal, ...asked.rights]))
    return allowed ? newGrant(oidc, { accountId, clientId, apiUrl }, asked) : undefined
  }

async function newGrant(
  oidc: KoaContextWithOIDC['oidc'],
  { accountId, clientId, apiUrl }: { accountId: string; clientId: string; apiUrl: string },
  { personal, rights }: Asked,
): Promise<Grant> {
  const grant = new oidc.provider.Grant({ accountId, clientId })
  grant.addOIDCScope(personal.join(' '))
  grant.addResourceScope(apiUrl, rights.join(' '))
  await grant.save()
  return grant
}
