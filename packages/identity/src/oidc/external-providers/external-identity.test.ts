import { describe, expect, it } from 'vitest'
import type { AuthProvider } from './auth-provider.ts'
import { externalIdentity } from './external-identity.ts'

const ofPlatform: AuthProvider = {
  id: 'file:acme',
  slug: 'acme',
  orgSlug: undefined,
  source: 'file',
  type: 'oidc',
  name: undefined,
  icon: undefined,
  config: { client_id: 'x', issuer: 'https://idp.example' },
  attributesMapping: {},
  domains: [],
  enabled: true,
  meta: {},
}
const ofOrg: AuthProvider = { ...ofPlatform, source: 'database', orgSlug: 'org', domains: ['org.example'] }

const of = (idToken: Record<string, unknown>, provider = ofPlatform, userinfo?: Record<string, unknown>) =>
  externalIdentity(provider, {
    issuer: 'https://idp.example',
    idToken: { sub: '1', ...idToken },
    ...(userinfo && { userinfo }),
  })

describe('whose address a provider vouches for', () => {
  const verified = { email: 'a@org.example', email_verified: true }

  it.each<[string, boolean, ReturnType<typeof of>]>([
    ['a verified address', true, of(verified)],
    ['one verified in words', true, of({ ...verified, email_verified: 'true' })],
    ['one verified by userinfo', true, of({}, ofPlatform, verified)],
    ['one that is not', false, of({ email: 'a@org.example' })],
    ['one that is denied', false, of({ ...verified, email_verified: false })],
    [
      'one of the id token, verified for another',
      false,
      of({ email: 'a@org.example' }, ofPlatform, { ...verified, email: 'b@org.example' }),
    ],
    [
      'one mapped from elsewhere, verified for another',
      false,
      of({ ...verified, upn: 'root@org.example' }, { ...ofPlatform, attributesMapping: { email: 'upn' } }),
    ],
    [
      'any, where an operator trusts it',
      true,
      of({ email: 'a@org.example' }, { ...ofPlatform, meta: { trustEmail: true } }),
    ],
    ['one of the domains of its organization', true, of(verified, ofOrg)],
    ['one of another domain', false, of({ ...verified, email: 'a@elsewhere.example' }, ofOrg)],
    [
      'one of another domain, though trusted',
      false,
      of({ email: 'a@elsewhere.example' }, { ...ofOrg, meta: { trustEmail: true } }),
    ],
    ['one of a subdomain', false, of({ ...verified, email: 'a@sub.org.example' }, ofOrg)],
    ['any, of an organization without domains', false, of(verified, { ...ofOrg, domains: [] })],
    [
      'one that only looks like an address',
      false,
      of({ ...verified, email: '\uff41@org.example' }, { ...ofPlatform, meta: { trustEmail: true } }),
    ],
    ['one in other letters', false, of({ ...verified, email: '\u0430@org.example' })],
    ['what is no address', false, of({ email: 'nobody', email_verified: true })],
  ])('%s: %s', (_what, expected, identity) => {
    expect(identity.emailVerified).toBe(expected)
  })
})

describe('what is kept of claims', () => {
  it('is what the mapping names, in small plain values', () => {
    const provider = { ...ofPlatform, attributesMapping: { groups: 'roles', firstName: 'nick', id: 'evil' } }
    const identity = of(
      {
        roles: ['a', 7, ['b'], 'c'],
        nick: 'Al\u0000bert',
        family_name: 'x'.repeat(500),
        evil: 'another id',
        address: { street: 'x' },
      },
      provider,
    )
    expect(identity).toMatchObject({ externalId: '1', firstName: 'Albert' })
    expect(identity.lastName).toHaveLength(200)
    expect(identity.authData).toEqual({
      id: '1',
      issuer: 'https://idp.example',
      groups: ['a', 'c'],
      firstName: 'Albert',
      lastName: 'x'.repeat(200),
    })
  })
})
