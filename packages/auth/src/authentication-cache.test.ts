import { describe, expect, test, vi } from 'vitest'
import { type Authentication, authenticationOf } from './authentication.ts'
import { AuthenticationCache } from './authentication-cache.ts'
import type { UserPrincipal } from './principal.ts'

const NOW = 1_000_000

function callerFor(userId: string, expiresAt = NOW + 1000): Authentication {
  const principal: UserPrincipal & { expiresAt: number } = {
    kind: 'user',
    userId,
    sessionId: `session-of-${userId}`,
    via: 'jwt',
    anonymous: false,
    superAdmin: false,
    scopes: [],
    clientId: undefined,
    email: undefined,
    apiKeyId: undefined,
    expiresAt,
  }
  return authenticationOf(principal, { expiresAt, dependsOn: [`session-of-${userId}`] })
}

/** A check that ends when the test says so. */
function slowCheck(userId: string) {
  let finish: () => void = () => {}
  const make = vi.fn(
    () =>
      new Promise<Authentication>((resolve) => {
        finish = () => resolve(callerFor(userId))
      }),
  )
  return { make, finish: () => finish() }
}

describe('the cache of callers', () => {
  test('keeps who was checked, under the whole credential', async () => {
    const cache = new AuthenticationCache(10)
    const ada = await cache.check('credential of ada', async () => callerFor('ada'))
    expect(cache.find('credential of ada', NOW)).toBe(ada)
    expect(cache.find('credential of ad', NOW)).toBeUndefined()
  })

  test('takes no credential for another that ends the same', async () => {
    const cache = new AuthenticationCache(10)
    const end = 'x'.repeat(43)
    const ada = await cache.check(`ada.${end}`, async () => callerFor('ada'))
    expect(cache.find(`bob.${end}`, NOW)).toBeUndefined()
    expect(cache.find(end, NOW)).toBeUndefined()
    expect(cache.find(`ada.${end}`, NOW)).toBe(ada)
    cache.forget('session-of-ada')
    expect(cache.find(`ada.${end}`, NOW)).toBeUndefined()
  })

  test('tells what it keeps, and counts no use of it', async () => {
    const cache = new AuthenticationCache(10)
    const end = 'x'.repeat(43)
    await cache.check(`ada.${end}`, async () => callerFor('ada'))
    expect([cache.has(`ada.${end}`), cache.has(`bob.${end}`), cache.has(end)]).toEqual([true, false, false])
    expect([cache.hits, cache.misses]).toEqual([0, 0])
    cache.forget('session-of-ada')
    expect(cache.has(`ada.${end}`)).toBe(false)
  })

  test('lets those who present the same credential wait for one check', async () => {
    const cache = new AuthenticationCache(10)
    const check = slowCheck('ada')
    const both = [cache.check('c', check.make), cache.check('c', check.make)]
    check.finish()
    expect(new Set(await Promise.all(both)).size).toBe(1)
    expect(check.make).toHaveBeenCalledTimes(1)
  })

  test('forgets a caller whose credential or session has ended', async () => {
    const cache = new AuthenticationCache(10)
    await cache.check('a', async () => callerFor('ada'))
    await cache.check('b', async () => callerFor('bob'))
    expect(cache.find('a', NOW + 1000)).toBeUndefined()
    cache.forget('session-of-bob')
    expect(cache.find('b', NOW)).toBeUndefined()
  })

  test.each([
    ['forgotten', (cache: AuthenticationCache) => cache.forget('session-of-ada')],
    ['cleared', (cache: AuthenticationCache) => cache.clear()],
  ])(
    'who comes after it was %s joins no check that began before, and that one is not kept',
    async (_, end) => {
      const cache = new AuthenticationCache(10)
      const before = slowCheck('ada')
      const first = cache.check('c', before.make)
      end(cache)
      const after = vi.fn(
        async (): Promise<Authentication> => Promise.reject(new Error('The session has ended.')),
      )
      const second = cache.check('c', after)
      before.finish()
      await first
      await expect(second).rejects.toThrow('The session has ended.')
      expect(after).toHaveBeenCalledTimes(1)
      expect(cache.find('c', NOW)).toBeUndefined()
    },
  )

  test('has an end: the least used caller makes room', async () => {
    const cache = new AuthenticationCache(2)
    for (const id of ['a', 'b', 'c']) await cache.check(id, async () => callerFor(id))
    expect(cache.find('a', NOW)).toBeUndefined()
    expect(cache.find('c', NOW)).toBeDefined()
  })
})
