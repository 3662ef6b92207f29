import { ACCESS_TOKEN_PREFIX, ACCESS_TOKEN_RANDOM_LENGTH, hashToken, withChecksum } from '@platform/auth'
import { resourceScopes } from '@platform/contracts'
import { Failure, randomBase62 } from '@platform/kernel'

/** A token as it is kept and listed: never the token itself. */
export interface AccessTokenRecord {
  _id: string
  userId: string
  name: string
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
  scopes: readonly string[]
}

/** Makes the opaque token: 256 random bits and a checksum. Only its hash is ever stored. */
export function mintToken(): { token: string; tokenHash: string } {
  const token = withChecksum(ACCESS_TOKEN_PREFIX, randomBase62(ACCESS_TOKEN_RANDOM_LENGTH))
  return { token, tokenHash: hashToken(token) }
}

/**
 * A token never has more than the credential that made it. Scopes of signing in, as `openid`, mean
 * nothing to it.
 */
export const inheritedScopes = (scopes: readonly string[]): string[] =>
  resourceScopes.filter((scope) => scopes.includes(scope))

/** The id under which a token is known as a session and in revocations. */
export const sessionIdOfToken = (recordId: string): string => `at:${recordId}`

export function requireExpiry(expiresAt: Date, now: Date, maxAgeSeconds: number): void {
  const aheadMs = expiresAt.getTime() - now.getTime()
  if (aheadMs > 0 && aheadMs <= maxAgeSeconds * 1000) return
  throw new Failure(
    'RequestValidationError',
    `expiresAt must be in the future, at most ${maxAgeSeconds} seconds ahead.`,
    {
      details: [
        { path: 'body.expiresAt', message: 'must be in the future, at most ACCESS_TOKENS_MAX_AGE ahead' },
      ],
    },
  )
}

/** A record as the contract lists it. */
export const toListed = (record: AccessTokenRecord) => ({
  ...record,
  scopes: [...record.scopes],
  createdAt: record.createdAt.toISOString(),
  expiresAt: record.expiresAt.toISOString(),
  lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
})
