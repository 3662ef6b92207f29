import type { MasterKeyRing } from '@platform/master-keys'
import type { KeyPlace, PrivateJwk, RingKey, SigningKeyTimes } from './signing-key.ts'

/** Private keys on their way to and from the database: sealed, each bound to its row. */
export interface SealedKeys {
  seal(jwk: PrivateJwk): string
  open(key: SigningKeyTimes & { sealedJwk: string }): RingKey
}

/** What a sealed key is bound to. */
export const sealContextOf = (table: string, kid: string) => `${table}|${kid}|sealed_jwk`

/**
 * Seals with the master keys of the installation. A wrong master key is an error, never a reason to make a new
 * signing key.
 */
export const sealedKeys = (masterKeys: MasterKeyRing, { table }: KeyPlace): SealedKeys => ({
  seal: (jwk) => masterKeys.seal(JSON.stringify(jwk), sealContextOf(table, jwk.kid)),
  open: ({ kid, alg, sealedJwk, ...times }) => ({
    kid,
    alg,
    signs: signs(times),
    jwk: JSON.parse(masterKeys.open(sealedJwk, sealContextOf(table, kid))) as PrivateJwk,
  }),
})

/** Whether a key signs now. */
export const signs = ({
  signsSince,
  rotatedAt,
}: Pick<SigningKeyTimes, 'signsSince' | 'rotatedAt'>): boolean =>
  signsSince !== undefined && rotatedAt === undefined
