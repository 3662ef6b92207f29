import { validateAccount as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Accounts } from './accounts.ts'
import { requestContextOf } from './request-context.ts'

interface Needs {
  accounts: Pick<Accounts, 'validate' | 'requestValidation'>
}

export const validateAccount = ({ accounts }: Needs) =>
  route(endpoint, {
    async handle({ body, request }) {
      if ('token' in body) {
        await accounts.validate(body.token, requestContextOf(request))
        return { success: true }
      }
      await request.takeLimit('validationMail', request.clientIp)
      await accounts.requestValidation(body.email, requestContextOf(request, body.language))

      return { success: true }
    },
  })
