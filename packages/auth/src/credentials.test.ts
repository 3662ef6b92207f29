import { describe, expect, test, vi } from 'vitest'
import {
  type Authentication,
  AuthenticationCache,
  accessTokenCredential,
  apiKeyCredential,
  authenticate,
  authenticationOf,
  bearerOf,
  type Credentials,
  cookieTokenOf,
  hashToken,
  hasValidChecksum,
  internalKeyCredential,
  withChecksum,
} from './index.ts'

const random = 'a'.repeat(43)
const caller = (
  userId = 'ada',
  dependsOn: string[] = [`session of ${userId}`],
  expiresAt = Number.POSITIVE_INFINITY,
): Authentication =>
  authenticationOf(
    {
      kind: 'user',
      userId,
      sessionId: `session of ${userId}`,
      via: 'jwt',
      anonymous: false,
      superAdmin: false,
      scopes: [],
      clientId: undefined,
      email: undefined,
      apiKeyId: undefined,
    },
    { expiresAt, dependsOn },
  )
const nothing: Credentials = {
  bearer: undefined,
  cookie: undefined,
  apiKey: undefined,
  takesInternalKey: false,
  now: 0,
  clientIp: '192.0.2.1',
}

describe('the checksum of a token', () => {
  const token = withChecksum('at:', random)

  test('is six characters that any change breaks', () => {
    expect(token).toMatch(/^at:a{43}[0-9A-Za-z]{6}$/)
    expect(hasValidChecksum(token, 'at:', 43)).toBe(true)
    for (let at = 3; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === 'b' ? 'c' : 'b') + token.slice(at + 1)
      expect(hasValidChecksum(changed, 'at:', 43), changed).toBe(false)
    }
  })

  test.each([
    '',
    'at:',
    token.slice(0, -1),
    `${token}a`,
    token.slice(3),
    `AT:${token.slice(3)}`,
    token.replace('a', '-'),
  ])('does not fit %s', (text) => expect(hasValidChecksum(text, 'at:', 43)).toBe(false))
})

describe('finding a credential', () => {
  test('reads a bearer whatever the case of its scheme', () => {
    expect(bearerOf('Bearer abc')).toBe('abc')
    expect(bearerOf('bEARER   abc')).toBe('abc')
    for (const text of ['', 'Bearer', 'Bearer ', 'Basic abc', 'abc', 'Bearerabc']) {
      expect(() => bearerOf(text), text).toThrow('must be "Bearer <token>"')
    }
  })

  test('reads the cookie of its name only, and refuses two', () => {
    expect(cookieTokenOf('a=1; access-token=jwt; b=2')).toBe('jwt')
    expect(cookieTokenOf('x-access-token=no; access-token-2=no')).toBeUndefined()
    expect(cookieTokenOf('access-token=')).toBeUndefined()
    expect(cookieTokenOf(undefined)).toBeUndefined()
    expect(() => cookieTokenOf('access-token=a; access-token=b')).toThrow('there twice')
  })
})

describe('the chain of credentials', () => {
  const internal = 'the internal key of this test'
  const chain = (users: Parameters<typeof authenticate>[0]['users']) =>
    authenticate({
      users,
      keys: [internalKeyCredential(Buffer.from(internal)), apiKeyCredential(async () => undefined)],
    })

  test('knows nobody without a credential', async () => {
    expect(await chain([])(nothing)).toBeUndefined()
  })

  test('takes the internal key on its paths only, and every other key is unknown', async () => {
    const find = chain([])
    expect(await find({ ...nothing, apiKey: internal, takesInternalKey: true })).toMatchObject({
      principal: { kind: 'internal' },
    })
    for (const apiKey of [internal, 'iak_acme_11111111-1111-4111-8111-111111111111', '', 'x']) {
      await expect(find({ ...nothing, apiKey })).rejects.toMatchObject({ status: 401 })
    }
  })

  test('refuses a bad key beside a good user', async () => {
    const find = chain([() => caller()])
    await expect(find({ ...nothing, bearer: 'x', apiKey: 'iak_x' })).rejects.toMatchObject({ status: 401 })
  })

  test('asks for an access token by its hash alone, and not at all when its checksum is wrong', async () => {
    const open = vi.fn(async (hash: string) =>
      hash === hashToken(withChecksum('at:', random)) ? caller() : undefined,
    )
    const resolve = accessTokenCredential({ callers: new AuthenticationCache(10), open })
    expect(resolve({ ...nothing, bearer: 'jwt' })).toBeUndefined()
    expect(await resolve({ ...nothing, bearer: withChecksum('at:', random) })).toMatchObject({
      principal: { userId: 'ada' },
    })
    await expect(resolve({ ...nothing, bearer: `at:${random}000000` })).rejects.toMatchObject({ status: 401 })
    expect(open).toHaveBeenCalledTimes(1)
    await expect(resolve({ ...nothing, bearer: withChecksum('at:', 'b'.repeat(43)) })).rejects.toMatchObject({
      status: 401,
    })
  })
})

describe('callers in memory', () => {
  test('are checked once, however many ask at the same time', async () => {
    const callers = new AuthenticationCache(10)
    const make = vi.fn(async () => caller())
    const found = await Promise.all(Array.from({ length: 50 }, () => callers.check('token', make)))
    expect(new Set(found).size).toBe(1)
    expect(make).toHaveBeenCalledTimes(1)
    expect(callers.find('token', 0)).toBe(found[0])
  })

  test('end with their credential', async () => {
    const callers = new AuthenticationCache(10)
    await callers.check('token', async () => caller('ada', [], 1000))
    expect(callers.find('token', 999)).toBeDefined()
    expect(callers.find('token', 1000)).toBeUndefined()
  })

  test('are forgotten with whatever they depend on, and nobody else is', async () => {
    const callers = new AuthenticationCache(10)
    await callers.check('one', async () => caller('ada', ['s1', 'user:ada']))
    await callers.check('two', async () => caller('ada', ['s2', 'user:ada']))
    await callers.check('three', async () => caller('bob', ['s3', 'user:bob']))
    callers.forget('s1')
    expect([callers.find('one', 0), callers.find('two', 0)]).toEqual([undefined, expect.anything()])
    callers.forget('user:ada')
    expect([callers.find('two', 0), callers.find('three', 0)]).toEqual([undefined, expect.anything()])
    callers.clear()
    expect(callers.find('three', 0)).toBeUndefined()
  })

  test.each(['forget', 'clear'] as const)(
    'are not kept when they ended while they were checked (%s)',
    async (how) => {
      const callers = new AuthenticationCache(10)
      const { promise, resolve } = Promise.withResolvers<Authentication>()
      const checking = callers.check('token', () => promise)
      if (how === 'forget') callers.forget('s1')
      else callers.clear()
      resolve(caller('ada', ['s1']))
      await checking
      expect(callers.find('token', 0)).toBeUndefined()
    },
  )

  test('are bounded', async () => {
    const callers = new AuthenticationCache(3)
    for (let count = 0; count < 100; count += 1)
      await callers.check(`token ${count}`, async () => caller('ada', [`s${count}`]))
    expect(callers.find('token 0', 0)).toBeUndefined()
    expect(callers.find('token 99', 0)).toBeDefined()
  })

  test('are not kept when the check fails', async () => {
    const callers = new AuthenticationCache(3)
    await expect(callers.check('token', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await callers.check('token', async () => caller())).toBeDefined()
  })
})
