import type { Audit } from '@platform/audit'
import { type Env, readConfig } from '@platform/config'
import type { Database } from '@platform/database'
import type { RateLimiter } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Part } from '@platform/service'
import type { SignInLog } from '../audit/sign-in-log.ts'
import type { Mails } from '../mails/mails.ts'
import type { UserStore } from '../users/user-store.ts'
import type { HashCost } from './passwords/password-hash.ts'
import { type Passwords, passwords as passwordsOf } from './passwords/passwords.ts'
import type { SecondFactors } from './second-factors/second-factors.ts'
import { secondFactorsEnv } from './second-factors/second-factors-env.ts'
import { renewRecoveryCodes, setMfa } from './second-factors/set-mfa.ts'
import { type SubmitMfaCodeNeeds, submitMfaCode } from './second-factors/submit-mfa-code.ts'
import { totpSecondFactors } from './second-factors/totp-second-factors.ts'

interface Needs {
  env: Env
  database: Database
  users: UserStore
  mails: Mails
  audit: Audit
  signInLog: SignInLog
  rateLimiter: RateLimiter
  masterKeys: MasterKeyRing
  /** What a hash of a password costs. */
  hashCost: HashCost
  clock: Clock
}

/** What people prove who they are with. */
export interface Credentials {
  passwords: Passwords
  secondFactors: SecondFactors
  /** What people do with theirs; `continueSignIn` finishes the sign-in that waits for a code. */
  part(continueSignIn: SubmitMfaCodeNeeds['continueSignIn']): Part
}

export function openCredentials({ env, users, hashCost, ...needs }: Needs): Credentials {
  const passwords = passwordsOf(users, hashCost)
  const secondFactors = totpSecondFactors({ ...needs, users, settings: readConfig(secondFactorsEnv, env) })
  const change = { secondFactors, users, passwords }
  return {
    passwords,
    secondFactors,
    part: (continueSignIn) => ({
      routes: [
        setMfa(change),
        renewRecoveryCodes(change),
        submitMfaCode({ secondFactors, users, continueSignIn }),
      ],
    }),
  }
}
