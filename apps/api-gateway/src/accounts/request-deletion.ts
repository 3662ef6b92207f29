import { interactiveUser } from '@platform/auth'
import { requestDeletion as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Limited } from '../rate-limits/limited.ts'
import type { Accounts } from './accounts.ts'
import type { AccountSettings } from './accounts-env.ts'
import { visitOf } from './visit-of.ts'

interface Needs {
  accounts: Pick<Accounts, 'requestDeletion'>
  limited: Limited
  settings: AccountSettings
}

export const requestDeletion = ({ accounts, limited, settings }: Needs) =>
  route(endpoint, {
    access: interactiveUser,
    handle: ({ principal, request }) =>
      limited(settings.limits.deletionMail, principal.userId, async () => {
        await accounts.requestDeletion(principal.userId, visitOf(request))

        return { success: true }
      }),
  })
