import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnonymousSession, getJwks, getMe } from '@platform/contracts'
import { startEmbedded } from '@platform/database'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
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

  test('may be cached for five minutes, and never longer than a key is published ahead', async () => {
    const response = await fetch(`${gateway.url}/oidc/jwks`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    await using hasty = await startIdentity({ env: { JWKS_PUBLISH_AHEAD: '30' } })
    const short = await fetch(`${hasty.url}/oidc/jwks`)
    expect(short.headers.get('cache-control')).toBe('public, max-age=30')
  })

  test('is answered from memory when the database is gone', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'jwks-'))
    chmodSync(directory, 0o755)
    const server = await startEmbedded(join(directory, 'postgres'), { fsync: false, maxConnections: 50 })
    try {
      await using alone = await startIdentity({ databaseUrl: server.url })
      const before = await alone.client()(getJwks)
      await server.stop()
      await expect(alone.client()(createAnonymousSession)).rejects.toMatchObject({ status: 503 })
      for (let round = 0; round < 20; round += 1) expect(await alone.client()(getJwks)).toEqual(before)
      const token = alone.mint({
        userId: 'ada',
        sessionId: 's',
        clientId: 'c',
        scopes: [],
        expiresAt: new Date(Date.now() + 60_000),
      })
      const headers = { authorization: `Bearer ${token}` }
      await expect(alone.client(headers)(getMe)).rejects.toMatchObject({ status: 503 })
    } finally {
      await server.stop().catch(() => undefined)
      rmSync(directory, { recursive: true, force: true })
    }
  }, 60_000)

  test('knows no other method', async () => {
    expect((await fetch(`${gateway.url}/oidc/jwks`, { method: 'DELETE' })).status).toBeGreaterThanOrEqual(404)
  })
})
