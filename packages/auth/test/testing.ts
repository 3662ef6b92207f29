import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { JwtCheck, JwtClaims } from '../src/jwt.ts'

/** For tests: everything needed to make tokens by hand, genuine ones and forged ones. */
export const KID = 'key-0123456789'
export const NOW = new Date('2026-01-01T00:00:00Z')
export const ISSUER = 'http://localhost:3001/oidc'
export const AUDIENCE = 'http://localhost:3001/v2'
export const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
export const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 })

const iat = NOW.getTime() / 1000

export const claims: JwtClaims = {
  prismeaiSessionId: 's1',
  jti: 'j1',
  sub: 'ada',
  iat,
  exp: iat + 60,
  scope: 'events:read',
  client_id: 'c1',
  iss: ISSUER,
  aud: AUDIENCE,
}

export const goodHeader = { typ: 'at+jwt', alg: 'RS256', kid: KID }

/** A check that counts how often it was asked for a key. */
export function counted(now = NOW): JwtCheck & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    findKey(kid) {
      asked.push(kid)
      return kid === KID ? { alg: 'RS256', publicKey: rsa.publicKey } : undefined
    },
    issuer: ISSUER,
    audience: AUDIENCE,
    now,
  }
}

/** Base64url of a text as it is, or of the JSON of anything else. */
export const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token written by hand. `signature` gets the signing input and answers the last part. */
export function forge(header: unknown, payload: unknown, signature: (input: string) => string): string {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${signature(input)}`
}

export const rs256 =
  (key: KeyObject) =>
  (input: string): string =>
    sign('sha256', Buffer.from(input), key).toString('base64url')

export const genuine = rs256(rsa.privateKey)

export const mac =
  (digest: string, secret: Buffer) =>
  (input: string): string =>
    createHmac(digest, secret).update(input).digest('base64url')
