import type { CredentialResolver } from './authenticate.ts'
import { authenticationOf } from './authentication.ts'
import { isInternalKey } from './forwarded-identity.ts'

const platform = authenticationOf(
  { kind: 'internal' },
  { expiresAt: Number.POSITIVE_INFINITY, dependsOn: [] },
)

/** Recognises the internal key in x-platform-api-key, on the few paths that take it from outside (decisions C13). */
export const internalKeyCredential =
  (internalKey: Buffer): CredentialResolver =>
  ({ apiKey, takesInternalKey }) =>
    takesInternalKey && isInternalKey(apiKey, internalKey) ? platform : undefined
