import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { REGISTRATION_TOKEN } from '../../test/registration.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database, given: { registrationToken: REGISTRATION_TOKEN } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const golden = async () =>
  JSON.parse(await readFile(new URL('./discovery.golden.json', import.meta.url), 'utf8'))

const documentOf = async (
  { origin }: { origin: string },
  path = '/oidc/.well-known/openid-configuration',
) => {
  const response = await fetch(origin + path)
  const text = await response.text()
  return JSON.parse(text.replaceAll(origin, 'https://api.example.test'))
}

describe('the discovery document', () => {
  it('is the golden one, so that nothing is offered or withdrawn unseen', async () => {
    expect(await documentOf(server)).toEqual(await golden())
  })

  it('is the same at the root', async () => {
    expect(await documentOf(server, '/.well-known/openid-configuration')).toEqual(await golden())
  })

  it('names no registration where there is none, and the algorithm of the keys there are', async () => {
    await using other = await startIdentityServer({ database, alg: 'ES384' })
    const { registration_endpoint: _, ...rest } = await golden()
    expect(await documentOf(other)).toEqual({ ...rest, id_token_signing_alg_values_supported: ['ES384'] })
  })

  it('may be read by pages of any origin, without their cookies', async () => {
    const url = `${server.settings.issuer}/.well-known/openid-configuration`
    const { headers } = await fetch(url, { headers: { origin: 'https://anybody.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('https://anybody.example')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })
})
