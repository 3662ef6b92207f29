import { requestDeletion as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Accounts } from './accounts.ts'
import { requestContextOf } from './request-context.ts'

interface Needs {
  accounts: Pick<Accounts, 'requestDeletion'>
}

export const requestDeletion = ({ accounts }: Needs) =>
  route(endpoint, {
    async handle({ principal, request }) {
      await accounts.requestDeletion(principal.userId, requestContextOf(request))

      return { success: true }
    },
  })
