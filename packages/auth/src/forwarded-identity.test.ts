import { describe, expect, test } from 'vitest'
import { identityHeaders, isInternalKey, type Principal, readIdentity, requireInternalKey } from './index.ts'

const asHeaders = (principal: Principal | undefined): Record<string, string> => {
  const list = identityHeaders(principal)
  expect(list.length % 2).toBe(0)
  return Object.fromEntries(
    Array.from({ length: list.length / 2 }, (_, index) => [list[index * 2] ?? '', list[index * 2 + 1] ?? '']),
  )
}

const user: Principal = {
  kind: 'user',
  userId: 'ada',
  sessionId: 's-1',
  via: 'jwt',
  anonymous: false,
  superAdmin: false,
  scopes: ['events:read', 'webhooks'],
  clientId: 'local-client-id',
  email: 'ada@example.com',
  apiKeyId: undefined,
}

describe('forwarded identity', () => {
  test.each<[string, Principal | undefined]>([
    ['nobody', undefined],
    ['a user', user],
    ['an anonymous user', { ...user, anonymous: true, email: undefined, clientId: undefined }],
    ['an administrator', { ...user, superAdmin: true }],
    ['an access token', { ...user, sessionId: 'at:018f', via: 'accessToken' }],
    ['a user without scopes', { ...user, scopes: [] }],
    ['a user with a key beside', { ...user, apiKeyId: 'k-1' }],
    ['an API key', { kind: 'apiKey', apiKeyId: 'k-1' }],
    ['the platform itself', { kind: 'internal' }],
    ['an address that no header may hold', { ...user, email: 'ädä+\r\nx: y@exämple.com' }],
  ])('%s arrives as it was sent', (_, principal) => {
    expect(readIdentity(asHeaders(principal))).toEqual(principal)
  })

  test('holds only what a header may hold', () => {
    const headers = asHeaders({ ...user, email: 'ädä\r\n@example.com' })
    for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]*$/)
  })

  test('does not tell when the credential ends', () => {
    expect(JSON.stringify(identityHeaders({ ...user, expiresAt: 1_900_000_000_000 }))).not.toContain(
      '1900000000000',
    )
  })

  test('that cannot be read is refused with 400', () => {
    for (const value of ['%', '{', '%7B'])
      expect(() => readIdentity({ ...asHeaders(user), 'x-platform-auth-data': value })).toThrow(
        expect.objectContaining({ status: 400 }),
      )
  })
})

describe('the internal key', () => {
  const key = Buffer.from('internal-key-of-the-tests-0123456789')

  test('opens only as a whole, and only once', () => {
    expect(isInternalKey(key.toString(), key)).toBe(true)
    for (const given of [
      undefined,
      '',
      'x',
      `${key} `,
      `${key}, ${key}`,
      key.toString().slice(1),
      [key.toString()],
    ])
      expect(isInternalKey(given, key)).toBe(false)
  })

  test('is asked for with 401', () => {
    expect(() => requireInternalKey(undefined, key)).toThrow(expect.objectContaining({ status: 401 }))
    expect(() => requireInternalKey(key.toString(), key)).not.toThrow()
  })
})
