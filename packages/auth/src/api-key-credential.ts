import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { isApiKey } from './api-key.ts'
import type { CredentialResolver } from './authenticate.ts'
import { type Authentication, authenticationOf } from './authentication.ts'
import { isInternalKey } from './forwarded-identity.ts'
import { hashToken } from './token-checksum.ts'

const GONE = 'The API key is not valid, is disabled, has expired or was deleted.'
const NO_KEY =
  `The header ${names.apiKey} takes API keys, iak_…: ` +
  'a JWT or an access token goes into "Authorization: Bearer <token>".'

/**
 * Finds the key with this SHA-256, if it is still good. `undefined` as a hash is a text that is no key at all: it is
 * never looked up, but may count as a guess of `clientIp`. May throw TooManyRequests.
 */
export type FindApiKey = (
  keyHash: string | undefined,
  clientIp: string,
) => Promise<Authentication | undefined>

/**
 * Recognises the x-platform-api-key header. The whole key is hashed, so one with another slug is unknown.
 */
export const apiKeyCredential =
  (findKey: FindApiKey): CredentialResolver =>
  ({ apiKey, clientIp }) =>
    apiKey === undefined ? undefined : requireKey(apiKey, clientIp, findKey)

async function requireKey(apiKey: string, clientIp: string, findKey: FindApiKey): Promise<Authentication> {
  const caller = await findKey(isApiKey(apiKey) ? hashToken(apiKey) : undefined, clientIp)
  if (caller === undefined) throw new Failure('AuthenticationError', isApiKey(apiKey) ? GONE : NO_KEY)
  return caller
}

const platform = authenticationOf(
  { kind: 'internal' },
  { expiresAt: Number.POSITIVE_INFINITY, dependsOn: [] },
)

/** Recognises the internal key in x-platform-api-key, on the few paths that take it from outside. */
export const internalKeyCredential =
  (internalKey: Buffer): CredentialResolver =>
  ({ apiKey, takesInternalKey }) =>
    takesInternalKey && isInternalKey(apiKey, internalKey) ? platform : undefined
