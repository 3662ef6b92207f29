import { readConfig } from '@platform/config'
import type { Queries } from '@platform/database'
import type { Route } from '@platform/http'
import { permissionStore } from '@platform/permissions'
import type { Job } from '@platform/service'
import type { Passwords } from '../credentials/passwords/passwords.ts'
import type { IdentityBase } from '../identity-base.ts'
import type { Mails } from '../mails/mails.ts'
import type { UserStore } from '../users/user-store.ts'
import { accountAccessStore } from './account-access-store.ts'
import { type AccountDeletion, accountDeletion } from './account-deletion.ts'
import type { AccountParts } from './account-parts.ts'
import type { Accounts } from './accounts.ts'
import { type AccountSettings, accountsEnv } from './accounts-env.ts'
import { deleteMeta } from './delete-meta.ts'
import { mailedTokenStore } from './mailed-token-store.ts'
import { mergeMeta } from './merge-meta.ts'
import { passwordChanges } from './password-changes.ts'
import { patchOwnUser } from './patch-own-user.ts'
import { profiles } from './profiles.ts'
import { purgeMailedTokens } from './purge-mailed-tokens.ts'
import { registration } from './registration.ts'
import { requestDeletion } from './request-deletion.ts'
import { setPassword } from './set-password.ts'
import { signUp } from './sign-up.ts'
import { validateAccount } from './validate-account.ts'

interface Needs extends IdentityBase {
  users: UserStore
  passwords: Passwords
  mails: Mails
  /** Deletes the picture of an account that is no more. */
  forgetPhoto?: AccountParts['forgetPhoto']
  /** Tells every instance what to forget, after the commit. */
  broadcast: (ids: string[]) => Promise<void>
}

/** What owners do with their accounts, for the composition root; the pages ask `accounts` too. */
export interface WiredAccounts {
  accounts: Accounts & AccountDeletion
  /** For whoever else changes accounts. */
  parts: AccountParts
  settings: AccountSettings
  routes: Route[]
  jobs: Job[]
}

export function wireAccounts(needs: Needs): WiredAccounts {
  const { database, clock } = needs
  const settings = readConfig(accountsEnv, needs.env)
  const tokens = mailedTokenStore(database)
  const parts: AccountParts = {
    ...needs,
    settings,
    tokens,
    tokensIn: mailedTokenStore,
    accessIn: accountAccessStore,
    origin: new URL(needs.config.issuer).origin,
    removeMemberships: (tx: Queries, userId: string) => permissionStore(tx).removeUser(userId),
  }
  const accounts = { ...registration(parts), ...passwordChanges(parts), ...accountDeletion(parts) }
  const owners = { accounts, profiles: profiles(parts) }
  return {
    accounts,
    parts,
    settings,
    routes: [
      signUp(owners),
      validateAccount(owners),
      setPassword(owners),
      patchOwnUser(owners),
      requestDeletion(owners),
      mergeMeta(owners),
      deleteMeta(owners),
    ],
    jobs: [purgeMailedTokens({ tokens, clock })],
  }
}
