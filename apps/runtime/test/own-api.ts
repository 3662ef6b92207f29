import { systemClock } from '@platform/kernel'
import { generateSigningKey, KeyRing } from '@platform/signing-keys'
import { OwnApi, type OwnApiParts } from '../src/fetches/own-api.ts'
import { RunTokens } from '../src/run-tokens/run-tokens.ts'

export const ISSUER = 'http://localhost:3001/oidc'
export const AUDIENCE = 'http://localhost:3001/v2'

const policy = {
  kty: 'EC',
  alg: 'ES256',
  size: 256,
  rotationMs: 1e9,
  publishAheadMs: 0,
  keepRotatedMs: 0,
} as const

/** A key that signs for runs, and what it signs with. */
export async function testTokens(clock = systemClock) {
  const jwk = await generateSigningKey(policy)
  const keyRing = new KeyRing(async () => [{ kid: jwk.kid, alg: jwk.alg, signs: true, jwk }], clock)
  await keyRing.reload()
  const makeKey = async () => undefined
  return { keyRing, tokens: new RunTokens({ keyRing, makeKey, issuer: ISSUER, audience: AUDIENCE, clock }) }
}

/** Our own API, which a test says where it is. */
export const testOwnApi = async (parts: Partial<OwnApiParts> = {}): Promise<OwnApi> =>
  new OwnApi({
    apiUrl: AUDIENCE,
    internalApiUrl: 'http://127.0.0.1:3001/v2',
    tokens: (await testTokens()).tokens,
    findApiKey: async () => undefined,
    ...parts,
  })
