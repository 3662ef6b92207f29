import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { StoreError } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { AUDIENCE, claims, forge, genuine, goodHeader, ISSUER, KID, NOW, part, rsa } from '../test/testing.ts'
import { claimsIssuer, signJwt, verifyJwt } from './jwt.ts'

const check = (extra: { now?: Date; alg?: string; publicKey?: KeyObject } = {}) => ({
  findKey: (kid: string) =>
    kid === KID ? { alg: extra.alg ?? 'RS256', publicKey: extra.publicKey ?? rsa.publicKey } : undefined,
  issuer: ISSUER,
  audience: AUDIENCE,
  now: extra.now ?? NOW,
})

const refusal = { name: 'AuthenticationError', status: 401 }

describe('a JWT of the platform', () => {
  test('is verified by the key that signed it, with exactly its claims', async () => {
    const token = signJwt(claims, { kid: KID, alg: 'RS256', privateKey: rsa.privateKey })
    expect(await verifyJwt(token, check())).toEqual(claims)
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual(goodHeader)
  })

  test.each([
    ['RS384', 'rsa'],
    ['RS512', 'rsa'],
    ['PS256', 'rsa'],
    ['PS384', 'rsa'],
    ['PS512', 'rsa'],
    ['ES256', 'P-256'],
    ['ES384', 'P-384'],
    ['ES512', 'P-521'],
  ])('can be signed with %s', async (alg, kind) => {
    const { privateKey, publicKey } = kind === 'rsa' ? rsa : generateKeyPairSync('ec', { namedCurve: kind })
    const token = signJwt(claims, { kid: KID, alg, privateKey })
    expect(await verifyJwt(token, check({ alg, publicKey }))).toEqual(claims)
    await expect(verifyJwt(token, check({ alg: 'RS256', publicKey }))).rejects.toMatchObject(refusal)
  })

  test('forgives five seconds of clock difference and not more', async () => {
    const token = signJwt(claims, { kid: KID, alg: 'RS256', privateKey: rsa.privateKey })
    const at = (seconds: number) => verifyJwt(token, check({ now: new Date((claims.iat + seconds) * 1000) }))
    await expect(at(64)).resolves.toEqual(claims)
    await expect(at(65)).rejects.toMatchObject({ ...refusal, message: expect.stringContaining('expired') })
    await expect(at(-5)).resolves.toEqual(claims)
    await expect(at(-6)).rejects.toMatchObject(refusal)
  })

  test('that can’t be checked is never called bad', async () => {
    class Down extends StoreError {}
    const findKey = () => Promise.reject(new Down('down', { unavailable: true }))
    const token = signJwt(claims, { kid: KID, alg: 'RS256', privateKey: rsa.privateKey })
    await expect(verifyJwt(token, { ...check(), findKey })).rejects.toBeInstanceOf(Down)
  })

  test('names its issuer, which tells whose it is', () => {
    expect(claimsIssuer(forge(goodHeader, claims, genuine), ISSUER)).toBe(true)
    expect(claimsIssuer(forge(goodHeader, { iss: 'https://other' }, genuine), ISSUER)).toBe(false)
    for (const text of ['', 'a', 'a.b.c', 'ghp_x', 'a.bnVsbA.c'])
      expect(claimsIssuer(text, ISSUER)).toBe(false)
  })
})

function broken(): [string, string][] {
  const token = forge(goodHeader, claims, genuine)
  const [head = '', payload = '', signature = ''] = token.split('.')
  const flipped = (text: string, at: number) =>
    text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
  return [
    ['nothing', ''],
    ['two parts', `${head}.${payload}`],
    ['four parts', `${token}.x`],
    ['five parts', `${head}.x.${payload}.${signature}.x`],
    ['a changed payload', `${head}.${flipped(payload, 10)}.${signature}`],
    ['another payload', `${head}.${part({ ...claims, sub: 'root' })}.${signature}`],
    ['a changed first character of the signature', `${head}.${payload}.${flipped(signature, 0)}`],
    [
      'a changed last character of the signature',
      `${head}.${payload}.${flipped(signature, signature.length - 1)}`,
    ],
    ['a signature with padding', `${token}==`],
    ['a signature in base64', `${head}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`],
    ['white space', `${head} .${payload}.${signature}`],
    ['too much', `${head}.${payload}${'A'.repeat(9000)}.${signature}`],
    ['text', 'not a token'],
  ]
}

describe('a token that was changed', () => {
  test.each(broken())('%s is refused as bad', async (_name, token) => {
    await expect(verifyJwt(token, check())).rejects.toMatchObject(refusal)
  })

  test('of a key of another kind is refused', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const token = signJwt(claims, { kid: KID, alg: 'ES256', privateKey: ec.privateKey })
    await expect(
      verifyJwt(token, check({ publicKey: createPublicKey(ec.privateKey) })),
    ).rejects.toMatchObject(refusal)
  })
})
