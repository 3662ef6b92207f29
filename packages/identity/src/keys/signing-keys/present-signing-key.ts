import type { SigningKey } from '@platform/contracts'
import { masterKeyIdOf } from '@platform/master-keys'
import type { SigningKeyTimes } from '@platform/signing-keys'

/** Where a key is in its life. */
export function stateOf({ signsSince, rotatedAt }: SigningKeyTimes): SigningKey['state'] {
  if (rotatedAt !== undefined) return 'rotated'
  return signsSince === undefined ? 'published' : 'signing'
}

/** A key as operators see it: never its private part, not even sealed. */
export function presentSigningKey(
  key: SigningKeyTimes & { sealedJwk: string },
  { sessions, keepRotatedMs }: { sessions: number; keepRotatedMs: number },
): SigningKey {
  const { kid, alg, kind, publishedAt, signsSince, rotatedAt } = key
  return {
    kid,
    alg,
    kind,
    state: stateOf(key),
    sealedWith: masterKeyIdOf(key.sealedJwk),
    publishedAt: publishedAt.toISOString(),
    signsSince: signsSince?.toISOString() ?? null,
    rotatedAt: rotatedAt?.toISOString() ?? null,
    removedAfter:
      rotatedAt === undefined ? null : new Date(rotatedAt.getTime() + keepRotatedMs).toISOString(),
    sessions,
  }
}
