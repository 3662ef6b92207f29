import { openAudit } from '@platform/audit'
import { gatewayJwksUpdated, getJwks, runtimeJwksUpdated } from '@platform/contracts'
import { type Database, migrate, openDatabase, sql } from '@platform/database'
import { DAY_MS } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { Resources } from '@platform/service'
import {
  type ChangeDeps,
  type KeyPolicy,
  KeyRing,
  rotate,
  rotateSigningKeys,
  sealedKeys,
  signingKeyStore,
} from '@platform/signing-keys'
import { templateDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'
import { gatewayKeys } from '../keys-part.ts'

const policy: KeyPolicy = {
  kty: 'EC',
  alg: 'ES256',
  size: 256,
  rotationMs: 30 * DAY_MS,
  publishAheadMs: 3_600_000,
  keepRotatedMs: 30 * DAY_MS,
}
const sealed = sealedKeys(masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]), gatewayKeys)
const log = createLogger({ level: 'silent' })

/** Signing keys in a database of their own, with a clock that a test moves. */
async function keysIn(database: Database & { url: string }, resources: Resources) {
  let now = new Date('2026-01-01T00:00:00Z')
  const clock = { now: () => now }
  const signingKeys = signingKeyStore(database, gatewayKeys)
  const outbox = await resources.outbox('postgres:', database.url)
  const audit = await openAudit({ database, clock })
  const deps = (changes: Partial<KeyPolicy> = {}): ChangeDeps => ({
    place: gatewayKeys,
    signingKeys,
    sealed,
    keyRing: new KeyRing(async () => (await signingKeys.list()).map(sealed.open), clock),
    outbox,
    audit,
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
  const migrations = new URL('../../../migrations/', import.meta.url)
  return testDatabase(
    await templateDatabase('gateway keys', (database) =>
      migrate(database, { schema: 'gateway', directory: migrations }),
    ),
  )
}

describe('rotating signing keys', () => {
  test('makes one first key, however many instances start at once', async () => {
    await using database = await freshDatabase()
    await using resources = new Resources(log, { development: true })
    await using elsewhere = await openDatabase(database.url, {
      allowWeakDurability: true,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 10_000,
    })
    const { deps, signingKeys } = await keysIn(database, resources)
    const others = await keysIn(Object.assign(elsewhere, { url: database.url }), resources)
    // As many as each process has connections: the lock is what they wait for, not the pool.
    const instances = [deps, others.deps].flatMap((make) => Array.from({ length: 4 }, () => make()))
    await Promise.all(instances.map(rotate))
    const keys = await signingKeys.list()
    expect(keys).toHaveLength(1)
    for (const { keyRing } of instances) {
      await keyRing.reload()
      expect(keyRing.signing().kid).toBe(keys[0]?.kid)
    }
  })

  test('looks so often that a key deleted by hand is refused within 30 s, even after a failed look', async () => {
    await using database = await freshDatabase()
    await using resources = new Resources(log, { development: true })
    const { deps } = await keysIn(database, resources)
    const jitter = 1.1
    expect(2 * jitter * rotateSigningKeys(deps()).everyMs).toBeLessThan(30_000)
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
    const wrong = sealedKeys(masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 8) }]), gatewayKeys)
    expect(() => wrong.open(key)).toThrow('SECRETS_MASTER_KEYS')
  })
})

describe('GET /oidc/jwks', () => {
  let gateway: TestIdentity
  beforeAll(async () => {
    gateway = await startIdentity()
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
})
