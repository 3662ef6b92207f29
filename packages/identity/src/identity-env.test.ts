import { describe, expect, test } from 'vitest'
import { identityEnv } from './identity-env.ts'

describe('the environment', () => {
  const good = {
    NODE_ENV: 'development',
    DATABASE_URL: 'postgres://x',
    INTERNAL_API_KEY: 'q8fj3kdl29sk4hfkw03jf7slq',
    SECRETS_MASTER_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}`,
    SESSION_COOKIES_SIGN_SECRET: 'zq8fj3kdl29sk4hfkw03jf7slp',
  }
  const problemsOf = (changes: Record<string, string>) =>
    identityEnv.safeParse({ ...good, ...changes }).error?.issues.map((issue) => issue.path.join('.')) ?? []

  test('as an operator would set it is accepted', () => {
    expect(identityEnv.parse(good)).toMatchObject({
      issuer: 'http://localhost:3001/oidc',
      secureCookies: false,
      keys: { keepRotatedMs: 2_592_060_000 },
    })
    expect(
      identityEnv.parse({
        ...good,
        OIDC_PROVIDER_URL: 'https://id.example',
        API_URL: 'https://api.example/v2',
      }),
    ).toMatchObject({
      issuer: 'https://id.example/oidc',
      secureCookies: true,
    })
  })

  test.each([
    ['RSA', 'RS256', '2048'],
    ['RSA', 'PS512', '8192'],
    ['EC', 'ES256', '256'],
    ['EC', 'ES384', '384'],
    ['EC', 'ES512', '521'],
  ])('takes keys of %s %s %s', (JWKS_KTY, JWKS_ALG, JWKS_SIZE) => {
    expect(problemsOf({ JWKS_KTY, JWKS_ALG, JWKS_SIZE })).toEqual([])
  })

  test.each([
    ['RSA', 'RS256', '1024'],
    ['RSA', 'RS256', '16384'],
    ['RSA', 'ES256', '2048'],
    ['RSA', 'HS256', '2048'],
    ['RSA', 'none', '2048'],
    ['EC', 'RS256', '256'],
    ['EC', 'ES256', '384'],
    ['EC', 'ES512', '512'],
    ['OKP', 'EdDSA', '256'],
    ['oct', 'HS256', '256'],
  ])('refuses keys of %s %s %s with a sentence', (JWKS_KTY, JWKS_ALG, JWKS_SIZE) => {
    expect(problemsOf({ JWKS_KTY, JWKS_ALG, JWKS_SIZE })).toEqual(['JWKS_ALG'])
  })

  test('refuses plain http on a public name in production, and master keys that are none', () => {
    expect(problemsOf({ NODE_ENV: 'production', API_URL: 'http://api.example/v2' })).toEqual(['API_URL'])
    expect(problemsOf({ NODE_ENV: 'production', API_URL: 'http://127.0.0.1:3001/v2' })).toEqual([])
    for (const SECRETS_MASTER_KEYS of ['x', 'k1:c2hvcnQ=', `k1:${Buffer.alloc(16).toString('base64')}`]) {
      expect(problemsOf({ SECRETS_MASTER_KEYS })).toEqual(['SECRETS_MASTER_KEYS'])
    }
  })
})
