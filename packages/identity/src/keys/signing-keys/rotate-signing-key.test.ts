import { getJwks, getMe, listAudit, listSigningKeys, rotateSigningKey } from '@platform/contracts'
import { sql } from '@platform/database'
import { decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SignedIn } from '../../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

const EC = { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' }
let gateway: TestIdentity
let root: SignedIn
beforeAll(async () => {
  gateway = await startIdentity({ env: EC })
  root = await gateway.signIn({ superAdmin: true })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const states = async () =>
  (await gateway.client(gateway.internalHeaders)(listSigningKeys)).map(({ state }) => state)
const rotate = (immediately?: boolean, headers: Record<string, string> = root.headers) =>
  gateway.client(headers)(rotateSigningKey, { body: immediately === undefined ? {} : { immediately } })

describe('POST /v2/platform/signing-keys/rotation', () => {
  test('at once: a new key signs, the old one still verifies, and the trail says who did it', async () => {
    const { keys } = await rotate(true)
    expect(keys.map(({ state }) => state)).toEqual(['signing', 'rotated'])
    const [signing, rotated] = keys
    expect(rotated?.kid).toBe(decodeProtectedHeader(root.jwt).kid)
    expect(Date.parse(rotated?.removedAfter ?? '') - Date.parse(rotated?.rotatedAt ?? '')).toBe(2_592_060_000)
    await gateway.client(root.headers)(getMe)
    const [row] = await gateway.client(root.headers)(listAudit, { query: { action: 'signingKey.rotated' } })
    expect(row).toMatchObject({
      actor: `user:${root.userId}`,
      subject: `signingKey:${signing?.kid}`,
      ip: '127.0.0.1',
      details: { replaces: rotated?.kid },
    })
  })

  test('tells both events of it in the transaction of the change', async () => {
    const { keys } = await rotate(true, gateway.internalHeaders)
    const events = await gateway.database.many<{ text: string }>(
      sql`select e::text as text from outbox.events e`,
    )
    const told = events.map(({ text }) => text).filter((text) => text.includes(keys[0]?.kid ?? '?'))
    expect(told.filter((text) => text.includes('gateway.jwks.updated'))).toHaveLength(1)
    expect(told.filter((text) => text.includes('runtime.jwks.updated'))).toHaveLength(1)
  })

  test('else a new key is published first and signs after JWKS_PUBLISH_AHEAD, known to all instances', async () => {
    const env = { ...EC, JWKS_PUBLISH_AHEAD: '2' }
    await using one = await startIdentity({ env, everyMs: { 'rotate-signing-keys': 200 } })
    // It looks every ten seconds: what it knows before, it was told.
    await using two = await startIdentity({ databaseUrl: one.databaseUrl, env })
    const headers = one.internalHeaders
    const { keys } = await one.client(headers)(rotateSigningKey, { body: {} })
    expect(keys.map(({ state }) => state)).toEqual(['signing', 'published'])
    const [old, next] = keys.map(({ kid }) => kid)
    for (const at of [one, two]) {
      const published = async () =>
        expect((await at.client()(getJwks)).keys.map(({ kid }) => kid)).toEqual([old, next])
      await vi.waitFor(published, { timeout: 2000, interval: 20 })
    }
    await one.client(headers)(rotateSigningKey, { body: {} })
    expect(await one.client(headers)(listSigningKeys)).toHaveLength(2)
    const signing = async () => {
      const [first] = await two.client(headers)(listSigningKeys)
      expect(first).toMatchObject({ kid: next, state: 'signing' })
      const lead = Date.parse(first?.signsSince ?? '') - Date.parse(first?.publishedAt ?? '')
      expect(lead).toBeGreaterThanOrEqual(2000)
    }
    await vi.waitFor(signing, { timeout: 15_000, interval: 50 })
  }, 30_000)

  test('another JWKS_ALG makes the key that signs due; what it signed stays valid', async () => {
    await using before = await startIdentity({ env: EC })
    const ada = await before.signIn()
    const env = { JWKS_KTY: 'EC', JWKS_ALG: 'ES384', JWKS_SIZE: '384', JWKS_PUBLISH_AHEAD: '0' }
    await using after = await startIdentity({ databaseUrl: before.databaseUrl, env })
    expect(await after.client(after.internalHeaders)(listSigningKeys)).toMatchObject([
      { state: 'signing', alg: 'ES384', kind: 'EC 384' },
      { state: 'rotated', alg: 'ES256', kind: 'EC 256' },
    ])
    expect(await after.client(ada.headers)(getMe)).toMatchObject({ id: ada.userId })
  })

  test('takes no body too, and refuses one it does not know', async () => {
    const send = (body: string | null) =>
      fetch(`${gateway.url}/v2/platform/signing-keys/rotation`, {
        method: 'POST',
        headers: { ...root.headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
        body,
      })
    const before = (await states()).length
    for (const body of ['{"immediately":"yes"}', '{"now":true}', '[]', 'x'])
      expect((await send(body)).status).toBe(400)
    expect((await states()).length).toBe(before)
    expect((await send(null)).status).toBe(200)
    expect(await states()).toContain('published')
  })

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    const before = await states()
    await expect(rotate(true, {})).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    await expect(rotate(true, ada.headers)).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    expect(await states()).toEqual(before)
  })
})
