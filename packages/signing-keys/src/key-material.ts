import { randomBytes } from 'node:crypto'
import jose from 'node-jose'
import type { KeyPolicy, PrivateJwk } from './signing-key.ts'

/** Makes a key pair with a random 43-character id. Slow for RSA: never inside a transaction. */
export async function generateSigningKey(policy: KeyPolicy): Promise<PrivateJwk> {
  const size = policy.kty === 'RSA' ? policy.size : `P-${policy.size}`
  const options = { kid: randomKid(), alg: policy.alg, use: 'sig' }
  // The types of node-jose know sizes as numbers only; curves are names.
  const key = await jose.JWK.createKey(policy.kty, size as number, options)
  return key.toJSON(true) as PrivateJwk
}

/** An operator types it as an argument, so it does not begin like an option. */
function randomKid(): string {
  const kid = randomBytes(32).toString('base64url')
  return /^\w/.test(kid) ? kid : randomKid()
}
