import type { AuthProviderInput } from '@platform/contracts'
import { CLIENT, providerFile } from './external-providers.ts'
import { startIdentity } from './start-identity.ts'

export const SECRET = 'canary-secret-of-a-client'

/** A provider as it is given; nothing answers at its address. */
export const input = (slug: string, changed: Partial<AuthProviderInput> = {}): AuthProviderInput => ({
  slug,
  name: `Provider ${slug}`,
  type: 'oidc',
  config: { client_id: 'platform', client_secret: SECRET, issuer: 'http://127.0.0.1:2' },
  ...changed,
})

/** A gateway with one provider in its file, a super administrator and somebody who is none. */
export async function startCrud() {
  const providers = {
    filed: { type: 'oidc', domains: ['filed.example'], config: { ...CLIENT, issuer: 'http://127.0.0.1:2' } },
  }
  const gateway = await startIdentity({
    env: { AUTH_PROVIDERS_CONFIG: await providerFile({ providers }), OUTBOUND_ALLOWED: '127.0.0.1' },
  })
  const [root, ada] = [await gateway.signIn({ superAdmin: true }), await gateway.signIn()]
  /** A request past the contract's own types, for what no client would send. */
  const send = async (method: string, path: string, body?: unknown, headers = root.headers) => {
    const response = await fetch(`${gateway.url}/v2/orgs/${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  return {
    gateway,
    root: gateway.client(root.headers),
    rootId: root.userId,
    ada,
    send,
    nobody: {} as { authorization: string },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

export type Crud = Awaited<ReturnType<typeof startCrud>>
