import type { z } from 'zod'
import { accountsEnv } from './accounts/accounts-env.ts'
import { usersEnv } from './accounts/first-start/users-env.ts'
import { photosEnv } from './accounts/photos/photos-env.ts'
import { secondFactorsEnv } from './credentials/second-factors/second-factors-env.ts'
import { identityEnv } from './identity-env.ts'
import { mailsEnv } from './mails/mails-env.ts'
import { authProvidersEnv } from './oidc/external-providers/external-providers-part.ts'
import { oidcEnv, signInEnv } from './oidc/oidc-env.ts'

export { writingOrigins } from './identity-env.ts'
export { variables } from './variables.ts'

/** Everything identity reads of the environment, part by part. */
export const identityEnvironment: readonly z.ZodType[] = [
  identityEnv,
  accountsEnv,
  authProvidersEnv,
  mailsEnv,
  oidcEnv,
  photosEnv,
  secondFactorsEnv,
  signInEnv,
  usersEnv,
]
