import { generateKeyPairSync } from 'node:crypto'
import { signJwt, withChecksum } from '@platform/auth'
import { getMe } from '@platform/contracts'
import { randomBase62 } from '@platform/kernel'
import { KeyRing } from '@platform/signing-keys'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createFor } from '../../test/access-tokens.ts'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let valid: SignedIn
const agent = new Agent({ connections: 500, pipelining: 1 })
beforeAll(async () => {
  gateway = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false', TRUSTED_PROXY_HOPS: '1' } })
  valid = await gateway.signIn()
})
afterAll(async () => {
  await agent.close()
  await gateway[Symbol.asyncDispose]()
})

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const iat = Math.floor(Date.now() / 1000)

/** Each waits for the next reload of the keys, so many ask at the same time. */
const FLOOD = 2400

/** A well-made token by a key that nobody has published. */
const unknownKey = () =>
  signJwt(
    {
      prismeaiSessionId: 's',
      jti: 'j',
      sub: 'root',
      iat,
      exp: iat + 600,
      scope: '',
      client_id: 'c',
      iss: 'http://localhost:3001/oidc',
      aud: 'http://localhost:3001/v2',
    },
    { kid: randomBase62(43), alg: 'ES256', privateKey: ec.privateKey },
  )

async function ask(token: string, ip = '192.0.2.1'): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': ip }
  const { statusCode, body } = await request(`${gateway.url}/v2/me`, { headers, dispatcher: agent })
  await body.dump()
  return statusCode
}

const count = (statuses: number[]) =>
  Object.fromEntries([...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length]))

describe('a flood of unknown key ids', () => {
  test('reloads the keys at most once a second and holds nobody up', { timeout: 60_000 }, async () => {
    const reload = vi.spyOn(KeyRing.prototype, 'reload')
    const tokens = Array.from({ length: FLOOD }, unknownKey)
    const honest: { status: number; ms: number }[] = []
    let over = false
    const callers = (async () => {
      while (!over) {
        const startedAt = performance.now()
        honest.push({ status: await ask(valid.jwt, '192.0.2.9'), ms: performance.now() - startedAt })
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    reload.mockClear()
    const startedAt = performance.now()
    const statuses: number[] = []
    const worker = async () => {
      for (let token = tokens.pop(); token !== undefined; token = tokens.pop())
        statuses.push(await ask(token))
    }
    await Promise.all(Array.from({ length: 400 }, worker))
    const seconds = (performance.now() - startedAt) / 1000
    const reloads = reload.mock.calls.length
    over = true
    await callers
    reload.mockRestore()
    // What there was no room to check is not called bad.
    const { 401: bad = 0, 503: unchecked = 0, ...others } = count(statuses)
    expect([others, bad + unchecked]).toEqual([{}, FLOOD])
    expect(bad).toBeGreaterThanOrEqual(200)
    expect(reloads).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
    expect(count(honest.map(({ status }) => status))).toEqual({ 200: honest.length })
    expect(honest.length).toBeGreaterThan(10)
    expect(
      honest.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(honest.length * 0.99)],
    ).toBeLessThan(1000)
  })

  test('a kid without the shape of one never reloads anything', async () => {
    const reload = vi.spyOn(KeyRing.prototype, 'reload')
    const header = (kid: unknown) =>
      Buffer.from(JSON.stringify({ typ: 'at+jwt', alg: 'RS256', kid })).toString('base64url')
    for (const kid of ['x', '../../etc/passwd', 1, null, ['a'.repeat(20)], 'a'.repeat(65)])
      expect(await ask(`${header(kid)}.e30.AAAA`)).toBe(401)
    expect(reload).not.toHaveBeenCalled()
    reload.mockRestore()
  })
})

describe('guessed access tokens', () => {
  const guess = () => withChecksum('at:', randomBase62(43))

  test('are 401 without a look-up when their checksum is wrong, however many', async () => {
    const wrong = Array.from({ length: 200 }, () => `at:${randomBase62(49)}`)
    expect(count(await Promise.all(wrong.map((token) => ask(token, '192.0.2.20'))))).toEqual({ 401: 200 })
  })

  test('are 401 and no guess when it is one bad token again and again: a program that was not told', async () => {
    const revoked = guess()
    const statuses: number[] = []
    for (let call = 0; call < 300; call += 1) statuses.push(await ask(revoked, '192.0.2.23'))
    expect(count(statuses)).toEqual({ 401: 300 })
  })

  test('are 429 after 60 in a minute from one address; what was seen valid there and others go on', async () => {
    const address = '192.0.2.21'
    const { token } = await createFor(gateway, valid)
    expect(await ask(token, address)).toBe(200)
    const statuses = await Promise.all(Array.from({ length: 200 }, () => ask(guess(), address)))
    expect(count(statuses)).toEqual({ 401: 60, 429: 140 })
    const headers = { authorization: `Bearer ${guess()}`, 'x-forwarded-for': address }
    const refused = await fetch(`${gateway.url}/v2/me`, { headers })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ error: 'TooManyRequests' })
    expect([await ask(token, address), await ask(valid.jwt, address)]).toEqual([200, 200])
    const fresh = await gateway.signIn()
    expect((await gateway.client({ ...fresh.headers, 'x-forwarded-for': address })(getMe)).id).toBe(
      fresh.userId,
    )
    expect(await ask(guess(), '192.0.2.22')).toBe(401)
  })
})
