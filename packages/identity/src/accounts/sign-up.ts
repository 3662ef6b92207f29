import { signUp as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { presentUser } from '../users/user.ts'
import type { Accounts } from './accounts.ts'
import { requestContextOf } from './request-context.ts'

interface Needs {
  accounts: Pick<Accounts, 'signUp'>
}

export const signUp = ({ accounts }: Needs) =>
  route(endpoint, {
    async handle({ body, request }) {
      await request.takeLimit('signUp', request.clientIp)

      const { user } = await accounts.signUp(body, requestContextOf(request, body.language))

      return presentUser(user)
    },
  })
