import { seconds } from '@platform/config'
import { DAY_MS, SECOND_MS } from '@platform/kernel'
import { z } from 'zod'
import { keyPolicyProblem } from './key-policy.ts'
import type { KeyPolicy } from './signing-key.ts'

/** What says of which kind signing keys are, and when they change. */
export const keyVariables = {
  JWKS_ROTATION_DAYS: z.coerce
    .number()
    .positive()
    .default(30)
    .describe('Age at which the signing key is replaced.'),
  JWKS_PUBLISH_AHEAD: seconds(3600).describe('Seconds a new key is published before it signs.'),
  JWKS_KTY: z.string().default('RSA').describe('Key type: RSA or EC.'),
  JWKS_ALG: z.string().default('RS256').describe('RS/PS 256–512 or ES256, ES384, ES512.'),
  JWKS_SIZE: z.coerce.number().int().default(2048).describe('RSA 2048–8192; EC 256, 384 or 521.'),
}

type KeyEnv = z.output<z.ZodObject<typeof keyVariables>>

/** Why the variables can't be used together, as a problem of JWKS_ALG. */
export const keyEnvProblem = (env: KeyEnv): string | undefined =>
  keyPolicyProblem({ kty: env.JWKS_KTY, alg: env.JWKS_ALG, size: env.JWKS_SIZE })

/** A rotated key stays for a minute longer than what it may have signed last. */
const KEPT_LONGER_SECONDS = 60

/** `maxAgeSeconds` is how long what the keys sign counts. */
export const keyPolicyOf = (env: KeyEnv, maxAgeSeconds: number): KeyPolicy => ({
  kty: env.JWKS_KTY as KeyPolicy['kty'],
  alg: env.JWKS_ALG,
  size: env.JWKS_SIZE,
  rotationMs: env.JWKS_ROTATION_DAYS * DAY_MS,
  publishAheadMs: env.JWKS_PUBLISH_AHEAD * SECOND_MS,
  keepRotatedMs: (maxAgeSeconds + KEPT_LONGER_SECONDS) * SECOND_MS,
})
