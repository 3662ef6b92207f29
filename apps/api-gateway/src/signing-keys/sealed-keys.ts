import type { MasterKeyRing } from '../master-keys/master-keys.ts'
import type { PrivateJwk, RingKey, SigningKeyTimes } from './signing-key.ts'

/** Private keys on their way to and from the database: sealed, each bound to its row. */
export interface SealedKeys {
  seal(jwk: PrivateJwk): string
  open(key: SigningKeyTimes & { sealedJwk: string }): RingKey
}

const placeOf = (kid: string) => `gateway.signing_keys|${kid}|sealed_jwk`

/** Seals with the master keys of the installation. A wrong master key is an error, never a reason to make a new signing key. */
export const sealedKeys = (masterKeys: MasterKeyRing): SealedKeys => ({
  seal: (jwk) => masterKeys.seal(JSON.stringify(jwk), placeOf(jwk.kid)),
  open: ({ kid, alg, sealedJwk, signsSince, rotatedAt }) => ({
    kid,
    alg,
    signs: signsSince !== undefined && rotatedAt === undefined,
    jwk: JSON.parse(masterKeys.open(sealedJwk, placeOf(kid))) as PrivateJwk,
  }),
})
