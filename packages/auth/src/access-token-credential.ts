import { Failure } from '@platform/kernel'
import type { CredentialResolver } from './authenticate.ts'
import type { Authentication } from './authentication.ts'
import type { AuthenticationCache } from './authentication-cache.ts'
import { hashToken, hasValidChecksum } from './token-checksum.ts'

/** The prefix of access tokens. */
export const ACCESS_TOKEN_PREFIX = 'at:'

/** Random characters between the prefix and the checksum: 256 bits. */
export const ACCESS_TOKEN_RANDOM_LENGTH = 43

/** What the check of an access token needs; `open` finds the token's record and its owner. */
export interface AccessTokenDeps {
  callers: AuthenticationCache
  /** `clientIp` is where the token is tried from: guessing may be refused with TooManyRequests. */
  open(tokenHash: string, clientIp: string): Promise<Authentication | undefined>
}

/** Recognises `Authorization: Bearer at:…`. Anything else is left to the next resolver. */
export const accessTokenCredential = (deps: AccessTokenDeps): CredentialResolver => {
  const check = async (token: string, clientIp: string): Promise<Authentication> => {
    if (!hasValidChecksum(token, ACCESS_TOKEN_PREFIX, ACCESS_TOKEN_RANDOM_LENGTH)) throw invalidAccessToken()
    const caller = await deps.open(hashToken(token), clientIp)
    if (caller === undefined) throw invalidAccessToken()
    return caller
  }
  return ({ bearer, now, clientIp }) => {
    if (bearer === undefined || !bearer.startsWith(ACCESS_TOKEN_PREFIX)) return undefined
    return deps.callers.find(bearer, now) ?? deps.callers.check(bearer, () => check(bearer, clientIp))
  }
}

/** The refusal of every access token that is not valid (any more). */
export const invalidAccessToken = () =>
  new Failure('AuthenticationError', 'The access token is not valid, has expired or was revoked.')
