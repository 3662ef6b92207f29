import { Failure } from '@platform/kernel'
import type { CredentialResolver } from './authenticate.ts'
import type { Caller } from './caller.ts'
import type { CallerCache } from './caller-cache.ts'
import { hashToken, hasValidChecksum } from './token-checksum.ts'

/** The prefix of access tokens. */
export const ACCESS_TOKEN_PREFIX = 'at:'

/** Random characters between the prefix and the checksum: 256 bits. */
export const ACCESS_TOKEN_RANDOM_LENGTH = 43

/** What the check of an access token needs; `open` finds the token's record and its owner. */
export interface AccessTokenDeps {
  callers: CallerCache
  open(tokenHash: string): Promise<Caller | undefined>
}

/** Recognises `Authorization: Bearer at:…`. Anything else is left to the next resolver. */
export const accessTokenCredential = (deps: AccessTokenDeps): CredentialResolver => {
  const check = async (token: string): Promise<Caller> => {
    if (!hasValidChecksum(token, ACCESS_TOKEN_PREFIX, ACCESS_TOKEN_RANDOM_LENGTH)) throw invalidToken()
    const caller = await deps.open(hashToken(token))
    if (caller === undefined) throw invalidToken()
    return caller
  }
  return ({ bearer, now }) => {
    if (bearer === undefined || !bearer.startsWith(ACCESS_TOKEN_PREFIX)) return undefined
    return deps.callers.find(bearer, now) ?? deps.callers.check(bearer, () => check(bearer))
  }
}

const invalidToken = () =>
  new Failure('AuthenticationError', 'The access token is not valid, has expired or was revoked.')
