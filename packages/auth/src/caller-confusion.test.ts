import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { AUDIENCE, claims, ISSUER, KID, NOW } from '../test/testing.ts'
import { accessTokenCredential } from './access-token-credential.ts'
import { authenticate, type Credentials } from './authenticate.ts'
import { type Authentication, authenticationOf } from './authentication.ts'
import { AuthenticationCache } from './authentication-cache.ts'
import { type JwtClaims, signJwt } from './jwt.ts'
import { sessionJwtCredential } from './session-jwt-credential.ts'
import { withChecksum } from './token-checksum.ts'

// 20,000 in the long run before a release: scripts/nightly/all.sh.
const TOKENS = process.env.NIGHTLY === '1' ? 20_000 : 2000
const USERS = 100
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const callerFor = (userId: string, sessionId: string): Authentication =>
  authenticationOf(
    {
      kind: 'user',
      userId,
      sessionId,
      via: 'jwt',
      anonymous: false,
      superAdmin: false,
      scopes: [],
      clientId: undefined,
      email: undefined,
      apiKeyId: undefined,
    },
    { expiresAt: NOW.getTime() + 60_000, dependsOn: [sessionId, `user:${userId}`] },
  )

const nothing: Credentials = {
  bearer: undefined,
  cookie: undefined,
  apiKey: undefined,
  takesInternalKey: false,
  now: NOW.getTime(),
  clientIp: '192.0.2.1',
}

function chainOf(callers: AuthenticationCache) {
  let opened = 0
  const resolve = sessionJwtCredential({
    callers,
    issuer: ISSUER,
    audience: AUDIENCE,
    findKey: () => ({ alg: 'ES256', publicKey: ec.publicKey }),
    open: async ({ sub, prismeaiSessionId }: JwtClaims) => {
      opened += 1
      return callerFor(sub, prismeaiSessionId)
    },
  })
  return { resolve, opened: () => opened }
}

const mint = (sub: string, index: number) =>
  signJwt(
    { ...claims, sub, prismeaiSessionId: `session-${index}`, jti: `j${index}` },
    { kid: KID, alg: 'ES256', privateKey: ec.privateKey },
  )

const userOf = async (found: unknown) => {
  const caller = (await found) as Authentication | undefined
  return caller?.principal.kind === 'user' ? caller.principal.userId : undefined
}

describe('one caller is never taken for another', () => {
  test(`in ${TOKENS} tokens of ${USERS} users, through a cache that is too small for them`, {
    timeout: 120_000,
  }, async () => {
    const callers = new AuthenticationCache(TOKENS / 4)
    const { resolve } = chainOf(callers)
    const tokens = Array.from({ length: TOKENS }, (_, index) => {
      const sub = `user-${index % USERS}`
      return { sub, jwt: mint(sub, index) }
    })
    let wrong = 0
    const present = async ({ sub, jwt }: { sub: string; jwt: string }) => {
      if ((await userOf(resolve({ ...nothing, bearer: jwt }))) !== sub) wrong += 1
    }
    for (let start = 0; start < TOKENS; start += 500) {
      await Promise.all(tokens.slice(start, start + 500).map(present))
      // Some again, from memory, while others end.
      callers.forget(`session-${start}`)
      callers.forget(`user:user-${start % USERS}`)
      for (let count = 0; count < 500; count += 1) {
        const earlier = tokens[Math.max(0, start + 500 - 1 - Math.floor(Math.random() * (TOKENS / 10)))]
        if (earlier !== undefined) await present(earlier)
      }
    }
    expect(wrong).toBe(0)
  })

  test('a token that differs in one character is another token', async () => {
    const callers = new AuthenticationCache(100)
    const { resolve } = chainOf(callers)
    const jwt = mint('ada', 1)
    expect(await userOf(resolve({ ...nothing, bearer: jwt }))).toBe('ada')
    for (let at = 0; at < jwt.length; at += 7) {
      const other = jwt.slice(0, at) + (jwt[at] === 'A' ? 'B' : 'A') + jwt.slice(at + 1)
      await expect(Promise.resolve(resolve({ ...nothing, bearer: other })), String(at)).rejects.toMatchObject(
        {
          status: 401,
        },
      )
    }
  })

  test('one that was checked once is checked again only when something it depends on has changed', async () => {
    const callers = new AuthenticationCache(100)
    const { resolve, opened } = chainOf(callers)
    const jwt = mint('ada', 1)
    for (let count = 0; count < 50; count += 1) await resolve({ ...nothing, bearer: jwt })
    expect(opened()).toBe(1)
    callers.forget('user:ada')
    await resolve({ ...nothing, cookie: jwt })
    expect(opened()).toBe(2)
  })
})

describe('a credential of one type', () => {
  test('that is in memory is not found by the way of another: an access token in the cookie is 401', async () => {
    const callers = new AuthenticationCache(100)
    const token = withChecksum('at:', 'a'.repeat(43))
    const find = authenticate({
      users: [
        accessTokenCredential({ callers, open: async () => callerFor('ada', 'at:1') }),
        chainOf(callers).resolve,
      ],
      keys: [],
    })
    expect(await userOf(find({ ...nothing, bearer: token }))).toBe('ada')
    await expect(Promise.resolve(find({ ...nothing, cookie: token }))).rejects.toMatchObject({ status: 401 })
  })

  test('is refused without a key being left behind that nobody waits for', async () => {
    const refused = () => Promise.reject(new Error('a bad key'))
    const find = authenticate({ users: [chainOf(new AuthenticationCache(1)).resolve], keys: [refused] })
    await expect(
      Promise.resolve(find({ ...nothing, bearer: 'rubbish', apiKey: 'iak_x' })),
    ).rejects.toBeInstanceOf(Error)
  })
})
