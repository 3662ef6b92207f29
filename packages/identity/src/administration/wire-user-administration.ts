import type { Route } from '@platform/http'
import type { Job } from '@platform/service'
import type { WiredAccounts } from '../accounts/wire-accounts.ts'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import { shownUser } from '../users/shown-user.ts'
import { deleteUser } from './delete-user.ts'
import { findContacts } from './find-contacts.ts'
import { getUser } from './get-user.ts'
import { patchUser } from './patch-user.ts'
import { patchUsers } from './patch-users.ts'

interface Needs extends Pick<WiredAccounts, 'accounts' | 'parts'> {
  secondFactors: Pick<SecondFactors, 'remove' | 'methodOf'>
}

/** Accounts as administrators and other people see them, for the composition root. */
export function wireUserAdministration({ accounts, parts, secondFactors }: Needs): {
  routes: Route[]
  jobs: Job[]
} {
  const edit = { ...parts, secondFactors }
  return {
    routes: [
      findContacts({ users: parts.users }),
      getUser({ findUser: shownUser({ ...parts, secondFactors }) }),
      patchUser(edit),
      patchUsers(edit),
      deleteUser({ accounts }),
    ],
    jobs: [],
  }
}
