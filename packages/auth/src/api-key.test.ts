import { describe, expect, test, vi } from 'vitest'
import {
  type Authentication,
  apiKeyCredential,
  authenticate,
  authenticationOf,
  type Credentials,
  hashToken,
  isApiKey,
  maskedApiKey,
  newApiKey,
} from './index.ts'

const uuid = '2b1e4f60-9c7d-4e53-8a1f-6b0d3c5e4f2a'

describe('the shape of an API key', () => {
  test.each(['acme', 'my_org', 'a-b', 'x', '1', 'a_b_c', 'iak_default', `${'o'.repeat(63)}`])(
    'takes the slug %s',
    (slug) => {
      expect(isApiKey(`iak_${slug}_${uuid}`)).toBe(true)
      expect(isApiKey(newApiKey(slug))).toBe(true)
    },
  )

  test.each([
    '',
    'iak_',
    uuid,
    `iak_${uuid}`,
    `iak__${uuid}`,
    `iak_-a_${uuid}`,
    `iak_ACME_${uuid}`,
    `IAK_acme_${uuid}`,
    `iak_acme_${uuid.toUpperCase()}`,
    `iak_acme_${uuid}0`,
    ` iak_acme_${uuid}`,
    `iak_acme_${uuid}\n`,
    `iak_acme_${uuid}, iak_acme_${uuid}`,
    `iak_acme_2b1e4f60-9c7d-1e53-8a1f-6b0d3c5e4f2a`,
    `iak_${'o'.repeat(64)}_${uuid}`,
    `iak_${'a_'.repeat(100_000)}`,
  ])('refuses %.60j', (text) => expect(isApiKey(text)).toBe(false))

  test('shows its last four characters when masked, and no more', () => {
    expect(maskedApiKey('acme', uuid.slice(-4))).toBe('iak_acme_…4f2a')
  })

  test('is another one each time', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newApiKey('acme'))).size).toBe(1000)
  })
})

const forever = { expiresAt: Number.POSITIVE_INFINITY, dependsOn: ['session'] }
const user = authenticationOf(
  {
    kind: 'user',
    userId: 'ada',
    sessionId: 'session',
    via: 'jwt',
    anonymous: false,
    superAdmin: false,
    scopes: [],
    clientId: undefined,
    email: undefined,
    apiKeyId: undefined,
  },
  forever,
)
const keyCaller = (apiKeyId: string) =>
  authenticationOf({ kind: 'apiKey', apiKeyId }, { ...forever, dependsOn: [] })
const credentials = (apiKey: string | undefined): Credentials => ({
  bearer: undefined,
  cookie: undefined,
  apiKey,
  takesInternalKey: false,
  now: 0,
  clientIp: '192.0.2.1',
})
const chain = (found: Authentication | undefined, ofUser: Authentication | undefined) => {
  const find = vi.fn(async () => found)
  const users = [() => ofUser]
  return { find, ask: authenticate({ users, keys: [apiKeyCredential(find)] }) }
}

describe('an API key in the chain of credentials', () => {
  const key = newApiKey('acme')

  test('is looked up by the hash of the whole key, and not at all when it has no shape', async () => {
    const { find, ask } = chain(keyCaller('k1'), undefined)
    expect((await ask(credentials(key)))?.principal).toEqual({ kind: 'apiKey', apiKeyId: 'k1' })
    expect(find).toHaveBeenLastCalledWith(hashToken(key), '192.0.2.1')
    const unknown = chain(undefined, undefined)
    await expect(unknown.ask(credentials('iak_x'))).rejects.toMatchObject({ status: 401 })
    expect(unknown.find).toHaveBeenLastCalledWith(undefined, '192.0.2.1')
  })

  test('beside a user is added to the user, once for many requests', async () => {
    const { ask } = chain(keyCaller('k1'), user)
    const both = await ask(credentials(key))
    expect(both?.principal).toEqual({ ...user.principal, apiKeyId: 'k1' })
    expect(both?.dependsOn).toEqual(user.dependsOn)
    expect(both?.identity).toContain('k1')
    expect(await ask(credentials(key))).toBe(both)
    expect(user.principal).not.toMatchObject({ apiKeyId: 'k1' })
    const other = await chain(keyCaller('k2'), user).ask(credentials(key))
    expect(other?.principal).toMatchObject({ apiKeyId: 'k2' })
  })

  test('that is bad refuses a good user', async () => {
    await expect(chain(undefined, user).ask(credentials(key))).rejects.toMatchObject({ status: 401 })
  })

  test('does not weigh on a user with more keys than anybody has', async () => {
    for (let count = 0; count < 100; count += 1) {
      const both = await chain(keyCaller(`k${count}`), user).ask(credentials(key))
      expect(both?.principal).toMatchObject({ apiKeyId: `k${count}` })
    }
  })
})
