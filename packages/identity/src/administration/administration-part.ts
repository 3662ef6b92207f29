import type { Part } from '@platform/service'
import type { AccountDeletion } from '../accounts/account-deletion.ts'
import type { AccountParts } from '../accounts/account-parts.ts'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import { shownUser } from '../users/user.ts'
import { createUser } from './create-user.ts'
import { deleteUser } from './delete-user.ts'
import { findContacts } from './find-contacts.ts'
import { getUser } from './get-user.ts'
import { patchUser } from './patch-user.ts'
import { patchUsers } from './patch-users.ts'
import { resetUserPassword } from './reset-user-password.ts'

interface Needs {
  /** What accounts are changed with. */
  accounts: AccountParts
  deletion: AccountDeletion
  secondFactors: Pick<SecondFactors, 'remove' | 'methodOf'>
  /** Ends all sessions of somebody whose password an operator has replaced. */
  signOutEverywhere: (userId: string) => Promise<void>
}

/** Accounts as administrators and other people see them. */
export function administrationPart({ accounts, deletion, secondFactors, signOutEverywhere }: Needs): Part {
  const { users, passwords } = accounts
  const edit = { ...accounts, secondFactors }
  return {
    routes: [
      createUser(accounts),
      findContacts({ users }),
      getUser({ findUser: shownUser({ users, secondFactors }) }),
      patchUser(edit),
      patchUsers(edit),
      deleteUser({ accounts: deletion }),
      resetUserPassword({ users, passwords, signOutEverywhere }),
    ],
  }
}
