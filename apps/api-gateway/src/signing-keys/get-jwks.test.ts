import { createAnonymousSession, getJwks } from '@platform/contracts'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../testing.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /oidc/jwks', () => {
  test('publishes the public members of the keys and nothing else, without a credential', async () => {
    const { keys } = await gateway.client()(getJwks)
    expect(keys.length).toBeGreaterThanOrEqual(1)
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
      expect(key).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
    }
  })

  test('verifies what the gateway signs', async () => {
    const { token } = await gateway.client()(createAnonymousSession)
    const verified = await jwtVerify(token, createRemoteJWKSet(new URL(`${gateway.url}/oidc/jwks`)))
    expect(verified.protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' })
  })

  test('may be cached for five minutes', async () => {
    const response = await fetch(`${gateway.url}/oidc/jwks`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('knows no other method', async () => {
    expect((await fetch(`${gateway.url}/oidc/jwks`, { method: 'DELETE' })).status).toBeGreaterThanOrEqual(404)
  })
})
