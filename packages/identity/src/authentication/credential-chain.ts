import {
  type AuthenticationCache,
  accessTokenCredential,
  apiKeyCredential,
  authenticate,
  type FindApiKey,
  internalKeyCredential,
  sessionJwtCredential,
} from '@platform/auth'
import type { IdentityConfig } from '../identity-env.ts'
import type { KeyRing } from '../keys/signing-keys/key-ring.ts'
import type { principalSource } from './principal-source.ts'

interface Needs {
  callers: AuthenticationCache
  open: ReturnType<typeof principalSource>
  findApiKey: FindApiKey
  keyRing: KeyRing
  config: Pick<IdentityConfig, 'issuer' | 'apiUrl' | 'internalApiKey'>
}

/** The four types of credentials in the order of decisions C1. */
export function credentialChain({ callers, open, findApiKey, keyRing, config }: Needs) {
  const internalKey = internalKeyCredential(Buffer.from(config.internalApiKey))
  const users = [
    accessTokenCredential({ callers, open: open.ofTokenHash }),
    sessionJwtCredential({
      callers,
      issuer: config.issuer,
      audience: config.apiUrl,
      findKey: (kid) => keyRing.find(kid) ?? keyRing.findOrReload(kid),
      open: open.ofClaims,
    }),
  ]
  const keys = [internalKey, apiKeyCredential(findApiKey)]
  return { authenticate: authenticate({ users, keys }), internalKey }
}
