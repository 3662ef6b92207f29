import { type Env, readConfig } from '@platform/config'
import type { Route } from '@platform/http'
import type { Job } from '@platform/service'
import { renewRecoveryCodes } from './renew-recovery-codes.ts'
import type { SecondFactors } from './second-factors.ts'
import { secondFactorsEnv } from './second-factors-env.ts'
import { type FactorChangeNeeds, setMfa } from './set-mfa.ts'
import { type SubmitMfaCodeNeeds, submitMfaCode } from './submit-mfa-code.ts'
import { type SecondFactorNeeds, totpSecondFactors } from './totp-second-factors.ts'

/** Codes after the password, for whoever signs people in. */
export const openSecondFactors = (needs: Omit<SecondFactorNeeds, 'settings'> & { env: Env }): SecondFactors =>
  totpSecondFactors({ ...needs, settings: readConfig(secondFactorsEnv, needs.env) })

/** What people do with theirs, for the composition root. */
export const wireSecondFactors = (
  needs: FactorChangeNeeds & SubmitMfaCodeNeeds,
): { routes: Route[]; jobs: Job[] } => ({
  routes: [setMfa(needs), renewRecoveryCodes(needs), submitMfaCode(needs)],
  jobs: [],
})
