import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import { deflateRawSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import {
  attacker,
  claims,
  counted,
  forge,
  genuine,
  goodHeader,
  KID,
  mac,
  part,
  rs256,
  rsa,
} from '../test/testing.ts'
import { verifyJwt } from './jwt.ts'

const refusal = { name: 'AuthenticationError', status: 401 }

/** Where a token is looked at: other files of this process have connections of their own. */
const looking = new AsyncLocalStorage<true>()
const verify: typeof verifyJwt = (token, check) => looking.run(true, () => verifyJwt(token, check))

let connections = 0
subscribe('net.client.socket', () => {
  if (looking.getStore()) connections += 1
})
afterEach(() => expect(connections).toBe(0))

const algorithms = (
  'none|None|NONE|nOnE| none|none |HS256|hs256|HS384|HS512|RS256|RS256 |rs256|RS384|' +
  'PS256|ES256|ES256K|EdDSA|RSA1_5|dir||null|RS256\u0000'
).split('|')

const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
const encodings: Record<string, Buffer> = {
  pem: Buffer.from(pem),
  'pem without its last line end': Buffer.from(pem.trimEnd()),
  'pem with a space before it': Buffer.from(` ${pem}`),
  pkcs1: Buffer.from(rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }) as string),
  der: rsa.publicKey.export({ type: 'spki', format: 'der' }),
  jwk: Buffer.from(JSON.stringify(rsa.publicKey.export({ format: 'jwk' }))),
}

const digestOf = (alg: string): string => `sha${/(384|512)$/.exec(alg)?.[1] ?? '256'}`

/** How a token ends: the parts after the payload, with their dot. */
const shapes: Record<string, (alg: string, secret: Buffer) => (input: string) => string> = {
  'a mac': (alg, secret) => (input) => `.${mac(digestOf(alg), secret)(input)}`,
  'a mac of the half': (alg, secret) => (input) => `.${mac(digestOf(alg), secret)(input).slice(0, 21)}`,
  'an empty signature': () => () => '.',
  'no signature at all': () => () => '',
}

function* confusedTokens(): Generator<[name: string, token: string]> {
  for (const alg of algorithms)
    for (const [encoding, secret] of Object.entries(encodings))
      for (const [shape, end] of Object.entries(shapes)) {
        const input = `${part({ ...goodHeader, alg })}.${part(claims)}`
        yield [`${JSON.stringify(alg)}, the key as ${encoding}, ${shape}`, input + end(alg, secret)(input)]
      }
}

describe('the algorithm is the one of the key', () => {
  test('whatever the header says, with whatever made of the public key: 552 tokens', async () => {
    let tokens = 0
    for (const [name, token] of confusedTokens()) {
      tokens += 1
      await expect(verify(token, counted()), name).rejects.toMatchObject(refusal)
    }
    expect(tokens).toBe(552)
  })

  test('and the genuine token passes, so that the refusals mean something', async () => {
    expect(await verify(forge(goodHeader, claims, genuine), counted())).toEqual(claims)
  })

  test('no key is looked up for an id without the shape of one', async () => {
    const kids: unknown[] = [
      '',
      'short',
      'a'.repeat(7),
      'a'.repeat(65),
      '../../dev/null',
      'key 0123456789',
      'key-0123456789\u0000',
      'key-0123456789\n',
      "' UNION SELECT private_key --",
      '$(touch /tmp/x)',
      'http://evil.example/jwks',
      'ключ-ключ-ключ',
      'key-０１２３４５６',
      '%6bey-0123456789',
      42,
      true,
      null,
      [],
      [KID],
      {},
      { toString: KID },
      [[KID]],
    ]
    for (const kid of kids) {
      const check = counted()
      const token = forge({ ...goodHeader, kid }, claims, genuine)
      await expect(verify(token, check), JSON.stringify(kid)).rejects.toMatchObject(refusal)
      expect(check.asked, JSON.stringify(kid)).toEqual([])
    }
  })
})

/** What a verifier might obey: a key of the attacker's own, or where to get it, or how to read the token otherwise. */
function instructions(): Record<string, unknown>[] {
  const jwk = { ...attacker.publicKey.export({ format: 'jwk' }), kid: KID, alg: 'RS256' }
  const url = 'http://127.0.0.1:1/keys'
  return [
    { jwk },
    { jwk: JSON.stringify(jwk) },
    { jwks: { keys: [jwk] } },
    { jku: url },
    { jku: 'file:///etc/passwd' },
    { x5u: url },
    { x5c: [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
    { x5t: 'A'.repeat(27) },
    { 'x5t#S256': 'A'.repeat(43) },
    { crit: [] },
    { crit: ['exp'] },
    { crit: ['b64'], b64: false },
    { b64: false },
    { zip: 'DEF' },
    { enc: 'A128GCM' },
    { cty: 'JWT' },
    { epk: jwk },
    { p2c: 2_147_483_647 },
    { iss: claims.iss },
    { nonce: 'x' },
    { __proto__x: 1 },
    { constructor: {} },
  ]
}

describe('a header gives no instructions', () => {
  test.each(instructions())('not %j, neither with the key it brings nor with ours', async (more) => {
    for (const signature of [rs256(attacker.privateKey), genuine, () => '']) {
      const check = counted()
      const token = forge({ ...goodHeader, ...more }, claims, signature)
      await expect(verify(token, check)).rejects.toMatchObject(refusal)
      expect(check.asked).toEqual([])
    }
  })

  test('is refused unread when it is a megabyte long', async () => {
    const check = counted()
    const token = forge({ ...goodHeader, kid: 'k'.repeat(1_000_000) }, claims, genuine)
    const before = process.threadCpuUsage()
    for (let count = 0; count < 1000; count += 1)
      await expect(verify(token, check)).rejects.toMatchObject(refusal)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000)
    expect(check.asked).toEqual([])
  })

  test('is refused when it is none: encrypted, nested, compressed, doubled, of other JSON', async () => {
    const token = forge(goodHeader, claims, genuine)
    const [head = '', payload = '', signature = ''] = token.split('.')
    const others = [
      `${part({ alg: 'dir', enc: 'A128GCM', kid: KID, typ: 'at+jwt' })}..${part('iv')}.${payload}.${part('tag')}`,
      `${part({ ...goodHeader, alg: 'RSA-OAEP' })}.${part('key')}.${part('iv')}.${payload}.${part('tag')}`,
      forge(goodHeader, token, genuine),
      forge(goodHeader, deflateRawSync(JSON.stringify(claims)).toString('latin1'), genuine),
      JSON.stringify({ protected: head, payload, signature }),
      JSON.stringify({ payload, signatures: [{ protected: head, signature }] }),
      `${head}.${payload}.${signature}.${head}.${payload}.${signature}`,
      `.${payload}.${signature}`,
      `${head}..${signature}`,
      `${head}.${payload}.${signature}\n`,
      ` ${token}`,
      `${head}.${payload}.${signature}=`,
      `${Buffer.from(head, 'base64url').toString('base64')}=.${payload}.${signature}`,
      forge('[]', claims, genuine),
      forge('"at+jwt"', claims, genuine),
      forge('null', claims, genuine),
      forge('{"typ":"at+jwt","alg":"RS256","kid":"x', claims, genuine),
      forge(`{"typ":"at+jwt","alg":"none","alg":"RS256","kid":"${KID}","x":1}`, claims, genuine),
    ]
    for (const other of others) await expect(verify(other, counted()), other).rejects.toMatchObject(refusal)
  })
})
