import { listSigningKeys } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  root = await gateway.signIn({ superAdmin: true })
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /v2/platform/signing-keys', () => {
  test('answers every key with its state, its master key and the sessions behind it', async () => {
    const [key] = await gateway.client(root.headers)(listSigningKeys)
    const ada = await gateway.signIn()
    const kid = key?.kid ?? ''
    await gateway.database.many(
      sql`update gateway.sessions set signing_kid = ${kid} where id = ${ada.sessionId}`,
    )
    for (const headers of [root.headers, gateway.internalHeaders]) {
      expect(await gateway.client(headers)(listSigningKeys)).toEqual([
        {
          kid,
          alg: 'RS256',
          kind: 'RSA 2048',
          state: 'signing',
          sealedWith: 'test',
          publishedAt: key?.publishedAt,
          signsSince: key?.signsSince,
          rotatedAt: null,
          removedAfter: null,
          sessions: expect.any(Number),
        },
      ])
    }
    const [counted] = await gateway.client(root.headers)(listSigningKeys)
    expect(counted?.sessions).toBeGreaterThanOrEqual(1)
  })

  test('shows nothing of the private part, and is kept by nobody', async () => {
    const response = await fetch(`${gateway.url}/v2/platform/signing-keys`, { headers: root.headers })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).not.toMatch(/sealedJwk|"d"|"n"|test:/)
  })

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    await expect(gateway.client()(listSigningKeys)).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    const attempt = gateway.client(ada.headers)(listSigningKeys)
    await expect(attempt).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
  })
})
