import {
  getJwks,
  getMe,
  listAudit,
  listSigningKeys,
  removeSigningKey,
  rotateSigningKey,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { promptly } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

const EC = { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' }
let gateway: TestIdentity
let other: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity({ env: EC })
  other = await startIdentity({ env: EC, databaseUrl: gateway.databaseUrl })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
})

const operator = () => gateway.client(gateway.internalHeaders)
const list = () => operator()(listSigningKeys)
const remove = (kid: string, headers = gateway.internalHeaders as Record<string, string>) =>
  gateway.client(headers)(removeSigningKey, { params: { kid } })
const refusedAt = (at: TestIdentity, headers: Record<string, string>) => () =>
  expect(at.client(headers)(getMe)).rejects.toMatchObject({ status: 401 })

describe('DELETE /v2/platform/signing-keys/{kid}', () => {
  test('removing the key that signs ends what it signed everywhere within 2 s, and another one signs', async () => {
    const ada = await gateway.signIn()
    for (const at of [gateway, other]) await at.client(ada.headers)(getMe)
    const [old] = await list()
    const removal = await remove(old?.kid ?? '')
    expect(removal).toMatchObject({ kid: old?.kid, state: 'signing', successor: expect.any(String) })
    for (const at of [gateway, other]) {
      await promptly(2000, refusedAt(at, ada.headers))
      const { keys } = await at.client()(getJwks)
      expect(keys.map(({ kid }) => kid)).toEqual([removal.successor])
    }
    const trail = await operator()(listAudit, { query: { limit: '3' } })
    expect(trail.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
      ['signingKey.rotated', 'platform', `signingKey:${removal.successor}`],
      ['signingKey.published', 'platform', `signingKey:${removal.successor}`],
      ['signingKey.removed', 'platform', `signingKey:${old?.kid}`],
    ])
  })

  test('a successor that waits takes over in the same transaction, whatever its lead', async () => {
    const { keys } = await operator()(rotateSigningKey, { body: {} })
    const [signing, waiting] = keys
    expect([signing?.state, waiting?.state]).toEqual(['signing', 'published'])
    expect(await remove(signing?.kid ?? '')).toMatchObject({ successor: waiting?.kid })
    expect(await list()).toMatchObject([{ kid: waiting?.kid, state: 'signing' }])
  })

  test('tells both events what came and what went', async () => {
    const [old] = await list()
    const { successor } = await remove(old?.kid ?? '')
    const rows = await gateway.database.many<{ text: string }>(
      sql`select e::text as text from outbox.events e`,
    )
    const told = rows
      .map(({ text }) => text)
      .filter((text) => text.includes(old?.kid ?? '?') && text.includes(successor ?? '?'))
    expect(told.some((text) => text.includes('gateway.jwks.updated'))).toBe(true)
    expect(told.some((text) => text.includes('runtime.jwks.updated'))).toBe(true)
  })

  test('a rotated key goes alone: what the others signed goes on', async () => {
    const { keys } = await operator()(rotateSigningKey, { body: { immediately: true } })
    const [signing, rotated] = keys
    await gateway.keyRing.reload()
    const ada = await gateway.signIn()
    await gateway.client(ada.headers)(getMe)
    await remove(rotated?.kid ?? '')
    expect(await list()).toMatchObject([{ kid: signing?.kid, state: 'signing' }])
    await gateway.client(ada.headers)(getMe)
  })

  test('eight removals of the same key at once remove one key and leave one that signs', async () => {
    const [old] = await list()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) =>
        (at % 2 === 0 ? gateway : other).client(gateway.internalHeaders)(removeSigningKey, {
          params: { kid: old?.kid ?? '' },
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await list()).toMatchObject([{ state: 'signing' }])
  })

  test('answers 404 for a key that is not there', async () => {
    await expect(remove('no-such-key')).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })

  test.each(['%00', '..%2f', 'x'.repeat(2000), "' or 'a'='a"])('takes %s for no key', async (kid) => {
    const before = await list()
    const { status } = await fetch(`${gateway.url}/v2/platform/signing-keys/${kid}`, {
      method: 'DELETE',
      headers: gateway.internalHeaders,
    })
    expect([400, 404]).toContain(status)
    expect(await list()).toEqual(before)
  })

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    const [{ kid } = { kid: '' }] = await list()
    await expect(remove(kid, {})).rejects.toMatchObject({ status: 401 })
    await gateway.keyRing.reload()
    const ada = await gateway.signIn()
    await expect(remove(kid, ada.headers)).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    expect(await list()).toMatchObject([{ kid }])
  })
})

describe('a signing key deleted by hand', () => {
  test('is refused by every instance at its next look and replaced, without a restart', async () => {
    const everyMs = { 'rotate-signing-keys': 500 }
    await using one = await startIdentity({ env: EC, everyMs })
    await using two = await startIdentity({ env: EC, everyMs, databaseUrl: one.databaseUrl })
    const ada = await one.signIn()
    for (const at of [one, two]) await at.client(ada.headers)(getMe)
    await one.database.many(sql`delete from gateway.signing_keys`)
    for (const at of [one, two]) {
      await vi.waitFor(refusedAt(at, ada.headers), { timeout: 30_000, interval: 50 })
      const onlyOne = async () => expect((await at.client()(getJwks)).keys).toHaveLength(1)
      await vi.waitFor(onlyOne, { timeout: 10_000, interval: 50 })
    }
  }, 60_000)
})
