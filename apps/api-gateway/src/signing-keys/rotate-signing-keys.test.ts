import { gatewayJwksUpdated, getJwks, getMe, runtimeJwksUpdated } from '@platform/contracts'
import { migrate, sql } from '@platform/database'
import { DAY_MS, systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { Resources } from '@platform/service'
import { type TestDatabase, templateDatabase, testDatabase } from '@platform/testing'
import { exportJWK } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { masterKeyRing } from '../master-keys/master-keys.ts'
import { startGateway, type TestGateway } from '../testing.ts'
import { KeyRing } from './key-ring.ts'
import { type RotationDeps, rotate } from './rotate-signing-keys.ts'
import { sealedKeys } from './sealed-keys.ts'
import type { KeyPolicy, RingKey } from './signing-key.ts'
import { signingKeyStore } from './signing-key-store.ts'

const policy: KeyPolicy = {
  kty: 'EC',
  alg: 'ES256',
  size: 256,
  rotationMs: 30 * DAY_MS,
  publishAheadMs: 3_600_000,
  keepRotatedMs: 30 * DAY_MS,
}
const sealed = sealedKeys(masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]))
const log = createLogger({ level: 'silent' })

/** Signing keys in a database of their own, with a clock that a test moves. */
async function keysIn(database: TestDatabase, resources: Resources) {
  let now = new Date('2026-01-01T00:00:00Z')
  const clock = { now: () => now }
  const signingKeys = signingKeyStore(database)
  const outbox = await resources.outbox('postgres:', database.url)
  const deps = (changes: Partial<KeyPolicy> = {}): RotationDeps => ({
    signingKeys,
    sealed,
    keyRing: new KeyRing(async () => (await signingKeys.list()).map(sealed.open), clock),
    outbox,
    clock,
    policy: { ...policy, ...changes },
  })
  return {
    deps,
    signingKeys,
    moveTo: (ms: number) => {
      now = new Date(new Date('2026-01-01T00:00:00Z').getTime() + ms)
    },
  }
}

async function freshDatabase() {
  const migrations = new URL('../../migrations/', import.meta.url)
  return testDatabase(
    await templateDatabase('gateway keys', (database) => migrate(database, 'gateway', migrations)),
  )
}

describe('rotating signing keys', () => {
  test('makes one first key, however many instances start at once', async () => {
    await using database = await freshDatabase()
    await using resources = new Resources(log, { development: true })
    const { deps, signingKeys } = await keysIn(database, resources)
    const instances = Array.from({ length: 8 }, () => deps())
    await Promise.all(instances.map(rotate))
    const keys = await signingKeys.list()
    expect(keys).toHaveLength(1)
    for (const { keyRing } of instances) {
      await keyRing.reload()
      expect(keyRing.signing().kid).toBe(keys[0]?.kid)
    }
  })

  test('publishes ahead, signs, and removes, telling everybody in the same transaction', async () => {
    await using database = await freshDatabase()
    await using resources = new Resources(log, { development: true })
    const { deps, signingKeys, moveTo } = await keysIn(database, resources)
    const one = deps()
    const kids = async () => (await signingKeys.list()).map(({ kid }) => kid)
    await rotate(one)
    const [first] = await kids()
    moveTo(30 * DAY_MS - 3_600_000)
    await Promise.all([rotate(one), rotate(deps()), rotate(deps())])
    expect(await kids()).toHaveLength(2)
    expect(one.keyRing.signing().kid).toBe(first)
    moveTo(30 * DAY_MS)
    await Promise.all([rotate(one), rotate(deps())])
    const [second] = await kids()
    expect([one.keyRing.signing().kid, (await kids()).at(-1)]).toEqual([second, first])
    expect(one.keyRing.find(first ?? '')).toBeDefined()
    expect(one.keyRing.privateJwks()[0]?.kid).toBe(second)
    moveTo(60 * DAY_MS)
    await rotate(one)
    expect(await kids()).not.toContain(first)
    expect(one.keyRing.find(first ?? '')).toBeUndefined()
    expect(await kids()).toContain(second)
  })

  test('keeps no private key readable at rest, and opens none with another master key', async () => {
    await using database = await freshDatabase()
    await using resources = new Resources(log, { development: true })
    const { deps, signingKeys } = await keysIn(database, resources)
    await rotate(deps())
    const dump = JSON.stringify(await database.many(sql`select * from gateway.signing_keys`))
    expect(dump).not.toMatch(/"d"|PRIVATE|\\"d\\"/)
    const [key] = await signingKeys.list()
    if (key === undefined) throw new Error('There is no key.')
    const wrong = sealedKeys(masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 8) }]))
    expect(() => wrong.open(key)).toThrow('SECRETS_MASTER_KEYS')
  })
})

describe('the key ring', () => {
  const ringKey = async (kid: string, signs: boolean): Promise<RingKey> => {
    const { publicKey: _, privateKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    )
    return {
      kid,
      alg: 'ES256',
      signs,
      jwk: { ...(await exportJWK(privateKey)), kty: 'EC', kid, alg: 'ES256', use: 'sig' } as RingKey['jwk'],
    }
  }

  test('asks for an unknown key once a second, however many ask', async () => {
    const keys = [await ringKey('known', true)]
    const load = vi.fn(async () => keys)
    let now = 0
    const ring = new KeyRing(load, { now: () => new Date(now) })
    await ring.reload()
    now = 10_000
    const found = await Promise.all(
      Array.from({ length: 500 }, (_, index) => ring.findOrReload(`unknown-${index}`)),
    )
    expect(found.filter((key) => key !== undefined)).toEqual([])
    expect(load).toHaveBeenCalledTimes(2)
    keys.push(await ringKey('new-one', false))
    expect(await ring.findOrReload('new-one')).toBeUndefined()
    now = 11_000
    expect(await ring.findOrReload('new-one')).toBeDefined()
    expect(load).toHaveBeenCalledTimes(3)
  })

  test('keeps its keys when they can’t be loaded again, and says 503 before they ever were', async () => {
    let isDown = true
    const key = await ringKey('only', true)
    const ring = new KeyRing(async () => {
      if (isDown) throw new Error('down')
      return [key]
    }, systemClock)
    await expect(ring.reload()).rejects.toThrow('down')
    expect(() => ring.signing()).toThrow(expect.objectContaining({ unavailable: true }))
    expect(() => ring.jwks()).toThrow(expect.objectContaining({ unavailable: true }))
    isDown = false
    const changed = vi.fn()
    ring.onChange(changed)
    await ring.reload()
    await ring.reload()
    expect(changed).toHaveBeenCalledTimes(1)
    isDown = true
    await expect(ring.reload()).rejects.toThrow('down')
    expect(ring.signing().kid).toBe('only')
  })
})

describe('GET /oidc/jwks', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  test('publishes public keys only, to everybody, from memory', async () => {
    const response = await fetch(`${gateway.url}/oidc/jwks`)
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    const { keys } = (await response.json()) as { keys: Record<string, string>[] }
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(keys[0]).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' })
  })

  test('told of its first key by both events, committed with the key', async () => {
    const events = await gateway.database.many<{ event: { type: string; payload: unknown } }>(
      sql`select to_jsonb(e) as event from outbox.events e`,
    )
    const told = JSON.stringify(events)
    const { keys } = await gateway.client()(getJwks)
    for (const { type } of [gatewayJwksUpdated, runtimeJwksUpdated]) expect(told).toContain(type)
    expect(told).toContain(keys[0]?.kid)
  })

  test('forgets a key that was deleted by hand, and its tokens with it, within 30 s and without a restart', {
    timeout: 60_000,
  }, async () => {
    await using alone = await startGateway()
    const ada = await alone.signIn()
    await alone.client(ada.headers)(getMe)
    await alone.database.many(sql`delete from gateway.signing_keys`)
    const refused = () => expect(alone.client(ada.headers)(getMe)).rejects.toMatchObject({ status: 401 })
    await vi.waitFor(refused, { timeout: 30_000, interval: 500 })
  })

  test('is not served with the wrong master key: the gateway refuses to start and makes no new key', async () => {
    const wrong = { SECRETS_MASTER_KEYS: `test:${Buffer.alloc(32, 8).toString('base64')}` }
    await expect(startGateway({ databaseUrl: gateway.databaseUrl, env: wrong })).rejects.toThrow(
      'SECRETS_MASTER_KEYS',
    )
    const missing = { SECRETS_MASTER_KEYS: `other:${Buffer.alloc(32, 7).toString('base64')}` }
    await expect(startGateway({ databaseUrl: gateway.databaseUrl, env: missing })).rejects.toThrow(
      'has no key "test"',
    )
    expect(await gateway.database.many(sql`select kid from gateway.signing_keys`)).toHaveLength(1)
  })
})
