import {
  type AuthenticationCache,
  accessTokenCredential,
  apiKeyCredential,
  authenticate,
  type FindApiKey,
  internalKeyCredential,
  sessionJwtCredential,
} from '@platform/auth'
import type { KeyRing } from '@platform/signing-keys'
import type { IdentityConfig } from '../identity-env.ts'
import type { principalSource } from './principal-source.ts'

interface Needs {
  cache: AuthenticationCache
  principals: ReturnType<typeof principalSource>
  findApiKey: FindApiKey
  keyRing: KeyRing
  config: Pick<IdentityConfig, 'issuer' | 'apiUrl' | 'internalApiKey'>
}

/** The four types of credentials, in the order they are looked at. */
export function credentialChain({ cache, principals, findApiKey, keyRing, config }: Needs) {
  const internalKey = internalKeyCredential(Buffer.from(config.internalApiKey))
  const users = [
    accessTokenCredential({ callers: cache, open: principals.ofTokenHash }),
    sessionJwtCredential({
      callers: cache,
      issuer: config.issuer,
      audience: config.apiUrl,
      findKey: (kid) => keyRing.find(kid) ?? keyRing.findOrReload(kid),
      open: principals.ofClaims,
    }),
  ]
  const keys = [internalKey, apiKeyCredential(findApiKey)]
  return { authenticate: authenticate({ users, keys }), internalKey }
}
