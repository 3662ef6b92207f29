import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const CLIENT = { client_id: 'platform', client_secret: 'a secret the provider gave us' }

/** Somebody at the honest provider. */
export interface Person {
  sub: string
  [claim: string]: unknown
}

export async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** An honest provider: a second OIDC server, where whoever comes is signed in as `idp.person`. */
export async function startIdp(redirectUri: string) {
  const server = createServer()
  const url = await listening(server)
  const people = new Map<string, Person>()
  const idp = { url, person: { sub: 'nobody' } as Person, declines: false }
  const provider = new Provider(url, {
    clients: [{ ...CLIENT, redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_post' }],
    cookies: { keys: ['a key of the tests'], names: { session: 'idp', interaction: 'idpi', resume: 'idpr' } },
    claims: { profile: ['given_name', 'family_name', 'locale'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: async (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    interactions: { url: (_ctx, { uid }) => `/people/${uid}` },
    async loadExistingGrant({ oidc }) {
      const { session, client, params, provider: own } = oidc
      const grant = new own.Grant({
        ...(session?.accountId && { accountId: session.accountId }),
        ...(client && { clientId: client.clientId }),
      })
      grant.addOIDCScope(String(params?.scope))
      await grant.save()
      return grant
    },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/people/')) return void answer(request, response)
    const { person, declines } = idp
    people.set(person.sub, person)
    const result = declines ? { error: 'access_denied' } : { login: { accountId: person.sub } }
    void provider.interactionFinished(request, response, result)
  })
  return Object.assign(idp, { [Symbol.asyncDispose]: () => closed(server) })
}
