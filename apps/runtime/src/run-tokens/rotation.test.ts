import { openAudit } from '@platform/audit'
import { type RunTokenClaims, verifyRunToken } from '@platform/auth'
import { sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { KeyRing, type PrivateJwk } from '@platform/signing-keys'
import { expect, test } from 'vitest'
import { AUDIENCE, ISSUER } from '../../test/own-api.ts'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'
import { openOwnApi } from './run-tokens-part.ts'

const frame = { workspaceId: 'w1', runId: 'r1', depth: 1, correlationId: 'c1' }
const DAY_MS = 86_400_000

/** A runtime and a gateway on one database, each with its own keys in memory. */
async function pairOn(runtime: TestRuntime) {
  const { database, resources, env } = runtime
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const outbox = await resources.outbox('postgres:', env.DATABASE_URL ?? '')
  const keys = { kty: 'EC', alg: 'ES256', size: 256 } as const
  const policy = { ...keys, rotationMs: DAY_MS, publishAheadMs: 3_600_000, keepRotatedMs: 70_000 }
  const urls = { apiUrl: AUDIENCE, consoleUrl: '' }
  const modules = { masterKeys: [{ id: 'test', key: Buffer.alloc(32, 7) }] }
  const { own, part } = await openOwnApi({
    database,
    outbox,
    audit: await openAudit({ database, clock }),
    config: { keys: policy, issuer: ISSUER, urls, internalApiUrl: AUDIENCE, modules } as never,
    clock,
    log: { warn: () => undefined, error: () => undefined } as never,
  })
  const rotate = part.jobs?.find(({ name }) => name === 'rotate-runtime-keys')
  const published = async () => {
    const rows = await database.many<{ kid: string; alg: string; jwk: PrivateJwk }>(
      sql`select kid, alg, public_jwk as jwk from runtime.published_keys`,
    )
    return rows.map((row) => ({ ...row, signs: false }))
  }
  const gateway = new KeyRing(published, systemClock)
  const verified = async (): Promise<[string, RunTokenClaims]> => {
    const proof = await own.proofOf(frame)
    const findKey = (kid: string) => gateway.find(kid) ?? gateway.findOrReload(kid)
    const check = { findKey, issuer: ISSUER, audience: AUDIENCE, now: clock.now() }
    const [head = ''] = proof.split('.')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
    return [kid, await verifyRunToken(proof, 'proof', check)]
  }
  return {
    verified,
    gateway,
    rotate: () => rotate?.run(new AbortController().signal),
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('what runs sign counts all the while as their keys rotate', async () => {
  await using runtime = await startRuntime({ env: { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' } })
  const { verified, gateway, rotate, pass } = await pairOn(runtime)
  const signers = new Set<string>()
  for (let hours = 0; hours < 72; hours += 1) {
    await rotate()
    // As the gateway does every ten seconds.
    await gateway.reload()
    const [kid, claims] = await verified()
    signers.add(kid)
    expect(claims.workspaceId).toBe('w1')
    pass(3_600_000)
  }
  expect(signers.size).toBeGreaterThanOrEqual(3)
  const left = await runtime.database.many(sql`select from runtime.published_keys`)
  expect(left.length).toBeLessThanOrEqual(3)
})
