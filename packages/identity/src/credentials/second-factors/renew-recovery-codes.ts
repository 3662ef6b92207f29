import { renewRecoveryCodes as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { requirePassword } from './require-password.ts'
import type { FactorChangeNeeds } from './set-mfa.ts'

export const renewRecoveryCodes = (deps: FactorChangeNeeds) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      await request.takeLimit('passwordChange', principal.userId)
      const user = await requirePassword(deps, principal, body.currentPassword)

      const recoveryCodes = await deps.secondFactors.renewRecoveryCodes(user)
      if (recoveryCodes === undefined)
        throw new Failure(
          'RequestValidationError',
          'This account has no second factor that recovery codes could replace: enrol one with POST /v2/user/mfa.',
        )

      return respond({ recoveryCodes }, { headers: { 'cache-control': 'no-store' } })
    },
  })
