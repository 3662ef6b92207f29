import { validateAccount as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Limited } from '../rate-limits/limited.ts'
import type { Accounts } from './accounts.ts'
import type { AccountSettings } from './accounts-env.ts'
import { withoutAccessToken } from './sign-up.ts'
import { visitOf } from './visit-of.ts'

interface Needs {
  accounts: Pick<Accounts, 'validate' | 'requestValidation'>
  limited: Limited
  settings: AccountSettings
}

export const validateAccount = ({ accounts, limited, settings }: Needs) =>
  route(endpoint, {
    access: withoutAccessToken,
    async handle({ body, request }) {
      if ('token' in body) {
        await accounts.validate(body.token, visitOf(request))
        return { success: true }
      }
      return limited(settings.limits.validationMail, request.clientIp, async () => {
        await accounts.requestValidation(body.email, visitOf(request, body.language))

        return { success: true }
      })
    },
  })
