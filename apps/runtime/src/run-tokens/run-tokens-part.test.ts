import { runtimeJwksUpdated } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime
const EC = { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' }
beforeAll(async () => {
  runtime = await startRuntime({ env: EC, everyMs: { 'rotate-runtime-keys': 100 } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

interface Published {
  kid: string
  alg: string
  public_jwk: Record<string, unknown>
}
const published = () => runtime.database.many<Published>(sql`select * from runtime.published_keys`)
const signing = () =>
  runtime.database.many<{ kid: string }>(
    sql`select kid from runtime.signing_keys where signs_since is not null and rotated_at is null`,
  )
const atLeastOne = () =>
  vi.waitFor(async () => {
    const [key] = await signing()
    if (key === undefined) throw new Error('No key signs yet.')
    return key.kid
  }, 5000)

describe('the signing keys of the runtime', () => {
  test('are made, sealed at rest, and published without their private members', async () => {
    const kid = await atLeastOne()
    const [key] = await published()
    expect(key).toMatchObject({ kid, alg: 'ES256' })
    expect(Object.keys(key?.public_jwk ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const rows = JSON.stringify(await runtime.database.many(sql`select * from runtime.signing_keys`))
    expect(rows).not.toMatch(/"d"|\\"d\\"|PRIVATE/)
  })

  test('are announced by an event and noted by the audit trail, in the transaction of the change', async () => {
    const kid = await atLeastOne()
    const told = await runtime.database.many<{ record: { payload: unknown; source: unknown } }>(
      sql`select record from outbox.events where record ->> 'type' = ${runtimeJwksUpdated.type}`,
    )
    expect(told[0]?.record).toMatchObject({
      payload: { created: [kid], deleted: [] },
      source: { host: { service: 'runtime' } },
    })
    const noted = await runtime.database.many<{ action: string }>(
      sql`select action from audit.entries where subject = ${`signingKey:${kid}`} order by sequence`,
    )
    expect(noted.map(({ action }) => action)).toEqual(['signingKey.published', 'signingKey.rotated'])
  })

  test('are replaced at once where the one that signs was deleted by hand', async () => {
    const first = await atLeastOne()
    await runtime.database.many(sql`delete from runtime.signing_keys`)
    await vi.waitFor(async () => expect(await atLeastOne()).not.toBe(first), 5000)
  })

  test('go on under another kind of key once it was published long enough', async () => {
    const first = await atLeastOne()
    const env = { ...EC, JWKS_ALG: 'ES384', JWKS_SIZE: '384', JWKS_PUBLISH_AHEAD: '1' }
    await using other = await startRuntime({
      env,
      databaseUrl: runtime.env.DATABASE_URL ?? '',
      everyMs: { 'rotate-runtime-keys': 100 },
    })
    await runtime[Symbol.asyncDispose]()
    runtime = other
    await vi.waitFor(async () => expect((await published()).map(({ alg }) => alg)).toContain('ES384'), 5000)
    expect(await atLeastOne()).toBe(first)
    await vi.waitFor(async () => expect(await atLeastOne()).not.toBe(first), 5000)
    expect((await published()).map(({ kid }) => kid)).toContain(first)
    runtime = await startRuntime({ env, databaseUrl: other.env.DATABASE_URL ?? '' })
  })
})

test('a start with another master key is refused, and makes no key', async () => {
  await atLeastOne()
  const SECRETS_MASTER_KEYS = `test:${Buffer.alloc(32, 8).toString('base64')}`
  const databaseUrl = runtime.env.DATABASE_URL ?? ''
  const before = await published()
  await expect(startRuntime({ env: { ...EC, SECRETS_MASTER_KEYS }, databaseUrl })).rejects.toThrow(
    'SECRETS_MASTER_KEYS',
  )
  expect(await published()).toEqual(before)
})
