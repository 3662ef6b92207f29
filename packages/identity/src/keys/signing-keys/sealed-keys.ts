import type { MasterKeyRing } from '@platform/master-keys'
import type { SealedColumn } from '../master-keys/sealed-column-store.ts'
import type { PrivateJwk, RingKey, SigningKeyTimes } from './signing-key.ts'

/** Private keys on their way to and from the database: sealed, each bound to its row. */
export interface SealedKeys {
  seal(jwk: PrivateJwk): string
  open(key: SigningKeyTimes & { sealedJwk: string }): RingKey
}

const sealContextOf = (kid: string) => `gateway.signing_keys|${kid}|sealed_jwk`

/** Where they are kept, for the job that seals them again with a new master key. */
export const sealedSigningKeys: SealedColumn = {
  table: 'gateway.signing_keys',
  key: 'kid',
  column: 'sealed_jwk',
  place: sealContextOf,
}

/**
 * Seals with the master keys of the installation. A wrong master key is an error, never a reason to make a new
 * signing key.
 */
export const sealedKeys = (masterKeys: MasterKeyRing): SealedKeys => ({
  seal: (jwk) => masterKeys.seal(JSON.stringify(jwk), sealContextOf(jwk.kid)),
  open: ({ kid, alg, sealedJwk, ...times }) => ({
    kid,
    alg,
    signs: signs(times),
    jwk: JSON.parse(masterKeys.open(sealedJwk, sealContextOf(kid))) as PrivateJwk,
  }),
})

/** Whether a key signs now. */
export const signs = ({
  signsSince,
  rotatedAt,
}: Pick<SigningKeyTimes, 'signsSince' | 'rotatedAt'>): boolean =>
  signsSince !== undefined && rotatedAt === undefined
