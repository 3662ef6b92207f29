import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

/** Everything an attacker has: the published key, a token of their own, and a server that would hand out keys. */
let gateway: TestIdentity
let eve: SignedIn
let kid: string
let encodings: Buffer[]
const fetched: string[] = []
const keyServer = createServer((request, response) => {
  fetched.push(request.url ?? '')
  response.end('{"keys":[]}')
})
beforeAll(async () => {
  keyServer.listen(0, '127.0.0.1')
  await once(keyServer, 'listening')
  gateway = await startIdentity()
  eve = await gateway.signIn()
  const jwks = (await (await fetch(`${gateway.url}/oidc/jwks`)).json()) as {
    keys: (JsonWebKey & { kid: string })[]
  }
  const [jwk] = jwks.keys
  if (jwk === undefined) throw new Error('There is no key.')
  kid = jwk.kid
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const pem = key.export({ type: 'spki', format: 'pem' }) as string
  encodings = [
    Buffer.from(pem),
    Buffer.from(pem.trimEnd()),
    Buffer.from(` ${pem}`),
    Buffer.from(key.export({ type: 'pkcs1', format: 'pem' }) as string),
    key.export({ type: 'spki', format: 'der' }),
    Buffer.from(JSON.stringify(jwk)),
  ]
})
afterAll(async () => {
  keyServer.close()
  await gateway[Symbol.asyncDispose]()
})

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

async function statusOf(token: string): Promise<[number, string]> {
  const response = await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${token}` } })
  const { error = '' } = (await response.json()) as { error?: string }
  return [response.status, error]
}

const refused = [401, 'AuthenticationError']

describe('a token forged with what everybody knows', () => {
  test('is 401, whatever its algorithm, made of whatever form of the public key', async () => {
    const payload = part({ ...claimsOf(eve.jwt), sub: 'root' })
    for (const alg of ['none', 'None', 'HS256', 'hs256', 'HS384', 'HS512', 'RS256', 'PS256', ''])
      for (const secret of encodings) {
        const input = `${part({ typ: 'at+jwt', alg, kid })}.${payload}`
        const mac = createHmac(`sha${/\d+$/.exec(alg)?.[0] ?? '256'}`, secret)
          .update(input)
          .digest('base64url')
        for (const token of [`${input}.${mac}`, `${input}.`, input])
          expect(await statusOf(token), alg).toEqual(refused)
      }
  })

  test('is 401 with a key of its own, in it or at an address, and nobody fetches it', async () => {
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const url = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/keys`
    const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid, alg: 'RS256' }
    const x5c = [own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')]
    for (const more of [
      {},
      { jwk },
      { jku: url },
      { x5u: url },
      { x5c },
      { jku: url, kid: url },
      { kid: url },
    ]) {
      const input = `${part({ typ: 'at+jwt', alg: 'RS256', kid, ...more })}.${part(claimsOf(eve.jwt))}`
      const signature = sign('sha256', Buffer.from(input), own.privateKey).toString('base64url')
      expect(await statusOf(`${input}.${signature}`), JSON.stringify(more)).toEqual(refused)
    }
    expect(fetched).toEqual([])
  })

  test('is 401 when anything of a good one is changed, and the good one goes on', async () => {
    const [head = '', payload = '', signature = ''] = eve.jwt.split('.')
    const root = part({ ...claimsOf(eve.jwt), sub: 'root', scope: 'workspaces:write' })
    for (const token of [
      `${head}.${root}.${signature}`,
      `${head}.${payload}.${signature.slice(0, -2)}`,
      `${head}.${payload}.${signature}A`,
      `${head}.${payload}`,
      `${head}.${payload}.`,
      `${head}..${signature}`,
      `${eve.jwt}.x`,
      eve.jwt.slice(1),
    ])
      expect(await statusOf(token)).toEqual(refused)
    expect((await statusOf(eve.jwt))[0]).toBe(200)
  })
})
