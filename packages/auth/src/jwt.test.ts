import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { StoreError } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { claimsIssuer, type JwtClaims, signJwt, verifyJwt } from './jwt.ts'

const KID = 'key-0123456789'
const issuer = 'http://localhost:3001/oidc'
const audience = 'http://localhost:3001/v2'
const now = new Date('2026-01-01T00:00:00Z')
const iat = now.getTime() / 1000
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })

const claims: JwtClaims = {
  prismeaiSessionId: 's1',
  jti: 'j1',
  sub: 'ada',
  iat,
  exp: iat + 60,
  scope: 'events:read',
  client_id: 'c1',
  iss: issuer,
  aud: audience,
}

const check = (extra: { now?: Date; alg?: string; publicKey?: KeyObject } = {}) => ({
  findKey: (kid: string) =>
    kid === KID ? { alg: extra.alg ?? 'RS256', publicKey: extra.publicKey ?? rsa.publicKey } : undefined,
  issuer,
  audience,
  now: extra.now ?? now,
})

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token written by hand: any header, any payload, signed by any key or not at all. */
function forge(header: unknown, payload: unknown, signature: (input: string) => string): string {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${signature(input)}`
}

const rs256 = (key: KeyObject) => (input: string) =>
  sign('sha256', Buffer.from(input), key).toString('base64url')
const good = { typ: 'at+jwt', alg: 'RS256', kid: KID }
const genuine = rs256(rsa.privateKey)
const refusal = { name: 'AuthenticationError', status: 401 }

describe('a JWT of the platform', () => {
  test('is verified by the key that signed it, with exactly its claims', async () => {
    const token = signJwt(claims, { kid: KID, alg: 'RS256', privateKey: rsa.privateKey })
    expect(await verifyJwt(token, check())).toEqual(claims)
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual(good)
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
    const at = (seconds: number) => verifyJwt(token, check({ now: new Date((iat + seconds) * 1000) }))
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
    expect(claimsIssuer(forge(good, claims, genuine), issuer)).toBe(true)
    expect(claimsIssuer(forge(good, { iss: 'https://other' }, genuine), issuer)).toBe(false)
    for (const text of ['', 'a', 'a.b.c', 'ghp_x', 'a.bnVsbA.c'])
      expect(claimsIssuer(text, issuer)).toBe(false)
  })
})

const algorithms = [
  'none',
  'None',
  'NONE',
  'nOnE',
  ' none',
  'HS256',
  'hs256',
  'HS384',
  'HS512',
  'RS256 ',
  'rs256',
  'RS384',
  'PS256',
  'ES256',
  'EdDSA',
  'RSA1_5',
  'dir',
  '',
  'null',
  'RS256\u0000',
  'SHA256',
  'HMAC',
  'A128KW',
]

const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
const confusions: Record<string, Buffer> = {
  pem: Buffer.from(pem),
  'pem without end': Buffer.from(pem.trim()),
  'pem with a space': Buffer.from(` ${pem}`),
  pkcs1: Buffer.from(rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string),
  der: rsa.publicKey.export({ type: 'spki', format: 'der' }),
  jwk: Buffer.from(JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))),
}

const hmacs: [string, string][] = [
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]

function forgedAlgorithms(): [string, string][] {
  const signatures: Record<string, (input: string) => string> = {
    'no signature': () => '',
    'a genuine signature': genuine,
    'a signature of another key': rs256(other.privateKey),
    zeros: () => Buffer.alloc(256).toString('base64url'),
  }
  const crossed = algorithms.flatMap((alg) =>
    Object.entries(signatures).map(([how, make]): [string, string] => [
      `alg "${alg}" with ${how}`,
      forge({ ...good, alg }, claims, make),
    ]),
  )
  const confused = hmacs.flatMap(([alg, digest]) =>
    Object.entries(confusions).map(([how, secret]): [string, string] => {
      const mac = (input: string) => createHmac(digest, secret).update(input).digest('base64url')
      return [`${alg} keyed with the public key as ${how}`, forge({ ...good, alg }, claims, mac)]
    }),
  )
  return [...crossed, ...confused]
}

function forgedHeaders(): [string, string][] {
  const attacker = other.publicKey.export({ format: 'jwk' })
  const headers: Record<string, unknown> = {
    'no kid': { typ: 'at+jwt', alg: 'RS256' },
    'an unknown kid': { ...good, kid: 'unknown-0123456789' },
    'a short kid': { ...good, kid: 'abc' },
    'a path as kid': { ...good, kid: '../../dev/null' },
    'SQL as kid': { ...good, kid: "' UNION SELECT 1 --" },
    'a list as kid': { ...good, kid: [KID] },
    'an object as kid': { ...good, kid: { toString: KID } },
    'a huge kid': { ...good, kid: 'k'.repeat(5000) },
    'a prototype key as kid': { ...good, kid: '__proto__' },
    'no typ': { alg: 'RS256', kid: KID },
    'typ JWT': { ...good, typ: 'JWT' },
    'typ in capitals': { ...good, typ: 'AT+JWT' },
    crit: { ...good, crit: ['exp'] },
    'b64 false': { ...good, b64: false, crit: ['b64'] },
    'b64 false alone': { ...good, b64: false },
    'no alg': { typ: 'at+jwt', kid: KID },
    'a list as alg': { ...good, alg: ['RS256'] },
    'a list as header': [good],
    'null as header': null,
    'a number as header': 1,
    'text as header': 'not json',
  }
  const embedded = ['jwk', 'x5c', 'jku', 'x5u'].map((name): [string, string] => [
    `its own key in ${name}`,
    forge(
      { ...good, [name]: name === 'jwk' ? attacker : 'https://evil.example/jwks' },
      claims,
      rs256(other.privateKey),
    ),
  ])
  return [
    ...Object.entries(headers).map(([name, header]): [string, string] => [
      name,
      forge(header, claims, genuine),
    ]),
    ...embedded,
  ]
}

function forgedClaims(): [string, string][] {
  const changes: Record<string, unknown> = {
    iss: 'http://evil.example/oidc',
    aud: 'http://evil.example',
    exp: iat - 6,
    iat: iat + 6,
    sub: '',
  }
  const wrongTypes = Object.keys(claims).flatMap((name) =>
    [undefined, null, {}, [], ['x'], true, '1e400', 1.5]
      .filter(
        (value) =>
          !(name === 'scope' && typeof value === 'string') &&
          !(typeof value === 'string' && !['iss', 'aud', 'iat', 'exp'].includes(name)),
      )
      .map((value): [string, string] => [
        `${name} is ${JSON.stringify(value)}`,
        forge(good, { ...claims, [name]: value }, genuine),
      ]),
  )
  const wrongValues = Object.entries(changes).map(([name, value]): [string, string] => [
    `${name} is ${value}`,
    forge(good, { ...claims, [name]: value }, genuine),
  ])
  const future: [string, string] = ['nbf lies ahead', forge(good, { ...claims, nbf: iat + 60 }, genuine)]
  return [
    ...wrongTypes,
    ...wrongValues,
    future,
    ['aud is a list with ours', forge(good, { ...claims, aud: [audience] }, genuine)],
  ]
}

function broken(): [string, string][] {
  const token = forge(good, claims, genuine)
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

describe('a forged token', () => {
  const cases = [...forgedAlgorithms(), ...forgedHeaders(), ...forgedClaims(), ...broken()]

  test(`is refused as bad, ${cases.length} of them`, async () => {
    expect(cases.length).toBeGreaterThan(180)
    for (const [name, token] of cases) {
      const isGenuine = name === 'alg "RS256" with a genuine signature'
      expect(isGenuine, name).toBe(false)
      await expect(verifyJwt(token, check()), name).rejects.toMatchObject(refusal)
    }
  })

  test('never causes a look-up when its key id has not the shape of one', async () => {
    const asked: string[] = []
    const findKey = (kid: string) => {
      asked.push(kid)
      return undefined
    }
    for (const kid of [
      'short',
      '../../etc/passwd',
      'a b c d e f g h',
      'k'.repeat(65),
      "x' or '1'='1",
      'ключ-ключ',
    ]) {
      await expect(
        verifyJwt(forge({ ...good, kid }, claims, genuine), { ...check(), findKey }),
      ).rejects.toMatchObject(refusal)
    }
    expect(asked).toEqual([])
  })

  test('of a key of another kind is refused', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const token = signJwt(claims, { kid: KID, alg: 'ES256', privateKey: ec.privateKey })
    await expect(
      verifyJwt(token, check({ publicKey: createPublicKey(ec.privateKey) })),
    ).rejects.toMatchObject(refusal)
  })
})
