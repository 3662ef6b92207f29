import { describe, expect, test } from 'vitest'
import { AUDIENCE, claims, counted, forge, genuine, goodHeader, ISSUER, KID, NOW } from '../test/testing.ts'
import { verifyJwt } from './jwt.ts'

const { iat, exp } = claims
const refusal = { name: 'AuthenticationError', status: 401 }

/** The claims as JSON text with one value written as it is: what JSON.stringify would never write. */
function raw(name: string, text: string): string {
  const entries = Object.entries({ ...claims, [name]: null }).map(
    ([key, value]) => `${JSON.stringify(key)}:${key === name ? text : JSON.stringify(value)}`,
  )
  return `{${entries.join()}}`
}

const without = (name: string) =>
  Object.fromEntries(Object.entries(claims).filter(([claim]) => claim !== name))

const changed = (change: Record<string, unknown>) => ({ ...claims, ...change })

/** All of them with a genuine signature: what is wrong is what they say. */
const wrongPayloads: [string, unknown][] = [
  ['iss of somebody else', changed({ iss: 'https://evil.example/oidc' })],
  ['iss with a slash at its end', changed({ iss: `${ISSUER}/` })],
  ['iss in other letters', changed({ iss: ISSUER.toUpperCase() })],
  ['iss as a list', changed({ iss: [ISSUER] })],
  ['iss empty', changed({ iss: '' })],
  ['no iss', without('iss')],
  ['aud of somebody else', changed({ aud: 'https://evil.example' })],
  ['aud is the client', changed({ aud: claims.client_id })],
  ['aud is the issuer', changed({ aud: ISSUER })],
  ['aud with a slash at its end', changed({ aud: `${AUDIENCE}/` })],
  ['aud is a beginning of ours', changed({ aud: AUDIENCE.slice(0, -1) })],
  ['aud as a list with ours', changed({ aud: [AUDIENCE] })],
  ['aud as a list of ours and another', changed({ aud: [AUDIENCE, 'https://evil.example'] })],
  ['aud empty', changed({ aud: '' })],
  ['aud null', changed({ aud: null })],
  ['no aud', without('aud')],
  ['exp just over', changed({ exp: iat - 5 })],
  ['exp long ago', changed({ exp: 1 })],
  ['exp zero', changed({ exp: 0 })],
  ['exp negative', changed({ exp: -1 })],
  ['exp as text', changed({ exp: String(exp) })],
  ['exp with a fraction', changed({ exp: exp + 0.5 })],
  ['exp as an object', changed({ exp: { valueOf: exp } })],
  ['exp as a list', changed({ exp: [exp] })],
  ['exp true', changed({ exp: true })],
  ['exp null', changed({ exp: null })],
  ['no exp', without('exp')],
  ['exp 1e400', raw('exp', '1e400')],
  ['exp -1e400', raw('exp', '-1e400')],
  ['exp NaN', raw('exp', 'NaN')],
  ['exp Infinity', raw('exp', 'Infinity')],
  ['exp "1e400"', raw('exp', '"1e400"')],
  ['exp beyond whole numbers, 1e308', raw('exp', '1e308')],
  ['iat ahead', changed({ iat: iat + 6 })],
  ['iat far ahead', changed({ iat: iat + 86_400, exp: iat + 90_000 })],
  ['iat as text', changed({ iat: String(iat) })],
  ['iat with a fraction', changed({ iat: iat + 0.5 })],
  ['iat negative', changed({ iat: -1 })],
  ['iat after exp', changed({ iat: iat + 3, exp: iat + 2 })],
  ['no iat', without('iat')],
  ['iat 1e400', raw('iat', '1e400')],
  ['iat NaN', raw('iat', 'NaN')],
  ['nbf ahead', changed({ nbf: iat + 6 })],
  ['nbf as text', changed({ nbf: String(iat) })],
  ['nbf 1e400', raw('nbf', '1e400')],
  ['sub as a list', changed({ sub: ['ada'] })],
  ['sub as an object', changed({ sub: { id: 'ada' } })],
  ['sub as a number', changed({ sub: 1 })],
  ['sub empty', changed({ sub: '' })],
  ['sub null', changed({ sub: null })],
  ['no sub', without('sub')],
  ['session as a list', changed({ prismeaiSessionId: ['s1'] })],
  ['session empty', changed({ prismeaiSessionId: '' })],
  ['no session', without('prismeaiSessionId')],
  ['no jti', without('jti')],
  ['jti as a number', changed({ jti: 7 })],
  ['no client', without('client_id')],
  ['scope as a list', changed({ scope: ['events:read'] })],
  ['no scope', without('scope')],
  ['a list', [claims]],
  ['a text', '"ada"'],
  ['nothing', ''],
  ['null', 'null'],
  ['no end', '{"sub":"ada"'],
]

/** Other tokens that this platform, or one like it, signs with the same key. */
const otherTokens: [string, unknown, unknown][] = [
  [
    'an id token',
    { typ: 'JWT', alg: 'RS256', kid: KID },
    { sub: 'ada', aud: 'c1', iss: ISSUER, iat, exp, at_hash: 'x', nonce: 'n' },
  ],
  ['an id token without a type', { alg: 'RS256', kid: KID }, claims],
  ['an id token that names the API', { typ: 'JWT', alg: 'RS256', kid: KID }, claims],
  ['a token of the runtime', { typ: 'run+jwt', alg: 'RS256', kid: KID }, claims],
  ['a logout token', { typ: 'logout+jwt', alg: 'RS256', kid: KID }, claims],
  ['application/at+jwt', { typ: 'application/at+jwt', alg: 'RS256', kid: KID }, claims],
  ['AT+JWT', { typ: 'AT+JWT', alg: 'RS256', kid: KID }, claims],
  ['a list as type', { typ: ['at+jwt'], alg: 'RS256', kid: KID }, claims],
  [
    'an access token with the claims of an id token',
    goodHeader,
    { sub: 'ada', aud: AUDIENCE, iss: ISSUER, iat, exp },
  ],
]

describe('a genuine signature is not enough', () => {
  test.each(wrongPayloads)('%s', async (_name, payload) => {
    await expect(verifyJwt(forge(goodHeader, payload, genuine), counted())).rejects.toMatchObject(refusal)
  })

  test.each(otherTokens)('%s', async (_name, header, payload) => {
    await expect(verifyJwt(forge(header, payload, genuine), counted())).rejects.toMatchObject(refusal)
  })

  test('there are at least 60 of them', () =>
    expect(wrongPayloads.length + otherTokens.length).toBeGreaterThanOrEqual(60))

  test.each([
    ['five seconds before it was made', -5, true],
    ['six seconds before it was made', -6, false],
    ['in its last second', 59, true],
    ['four seconds after its end', 64, true],
    ['five seconds after its end', 65, false],
  ])('the clocks may differ by five seconds: %s', async (_name, seconds, passes) => {
    const now = new Date(NOW.getTime() + seconds * 1000)
    const outcome = verifyJwt(forge(goodHeader, claims, genuine), counted(now))
    if (passes) await expect(outcome).resolves.toEqual(claims)
    else await expect(outcome).rejects.toMatchObject(refusal)
  })

  test('nbf that has come, and an empty scope, are fine', async () => {
    const payload = changed({ nbf: iat + 5, scope: '' })
    await expect(verifyJwt(forge(goodHeader, payload, genuine), counted())).resolves.toMatchObject({
      sub: 'ada',
    })
  })
})
