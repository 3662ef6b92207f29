import type { Audit } from '@platform/audit'
import { type Env, readConfig } from '@platform/config'
import type { Database, Queries } from '@platform/database'
import { type Files, openFiles } from '@platform/files'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Outbox } from '@platform/outbox'
import { permissionStore } from '@platform/permissions'
import type { Part } from '@platform/service'
import type { Passwords } from '../credentials/passwords/passwords.ts'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import type { Mails } from '../mails/mails.ts'
import type { Opened } from '../opened.ts'
import type { CsrfTokens } from '../sessions/access-token-cookie.ts'
import { shownUser } from '../users/user.ts'
import type { UserStore } from '../users/user-store.ts'
import { purgeAnonymousUsers } from '../users/user-store.ts'
import { accountAccessStore } from './account-access-store.ts'
import { type AccountDeletion, accountDeletion } from './account-deletion.ts'
import { requestDeletion, setPassword, signUp, validateAccount } from './account-operations.ts'
import type { AccountParts } from './account-parts.ts'
import type { Accounts } from './accounts.ts'
import type { AccountSettings } from './accounts-env.ts'
import { getMe } from './get-me.ts'
import { mailedTokenStore, purgeMailedTokens } from './mailed-token-store.ts'
import { passwordChanges } from './password-changes.ts'
import { getPhoto } from './photos/get-photo.ts'
import { photos } from './photos/photos.ts'
import { photosEnv } from './photos/photos-env.ts'
import { setPhoto } from './photos/set-photo.ts'
import { deleteMeta, mergeMeta, patchOwnUser } from './profile-operations.ts'
import { profiles } from './profiles.ts'
import { registration } from './registration.ts'

interface Needs {
  env: Env
  settings: AccountSettings
  database: Database
  outbox: Outbox
  users: UserStore
  passwords: Passwords
  secondFactors: Pick<SecondFactors, 'methodOf'>
  mails: Mails
  audit: Audit
  csrf: CsrfTokens
  /** Tells every instance what to forget, after the commit. */
  broadcast: (ids: string[]) => Promise<void>
  apiUrl: string
  /** Where people reach the platform. */
  origin: string
  opened: Opened
  clock: Clock
  log: Logger
}

/** What owners do with their accounts; the pages ask `accounts` too. */
export interface OpenAccounts {
  accounts: Accounts & AccountDeletion
  /** For the administration, which changes the accounts of others. */
  parts: AccountParts
  /** Where pictures are kept; undefined where nothing is configured. */
  files: Files | undefined
  part: Part
}

/** Rejects when the directory of pictures can't be made. */
export async function openAccounts(needs: Needs): Promise<OpenAccounts> {
  const { database, users, secondFactors, clock, log } = needs
  const files = await filesOf(needs)
  const pictures = photos({ files, database, users, photosUrl: `${needs.apiUrl}/photos`, log })
  const parts = partsOf(needs, pictures.forget)
  const accounts = { ...registration(parts), ...passwordChanges(parts), ...accountDeletion(parts) }
  const owner = { accounts, profiles: profiles(parts) }
  return {
    accounts,
    parts,
    files,
    part: {
      routes: [
        getMe({ findUser: shownUser({ users, secondFactors }), csrf: needs.csrf }),
        signUp(owner),
        validateAccount(owner),
        setPassword(owner),
        patchOwnUser(owner),
        requestDeletion(owner),
        mergeMeta(owner),
        deleteMeta(owner),
        setPhoto({ photos: pictures }),
        getPhoto({ photos: pictures }),
      ],
      jobs: [purgeMailedTokens({ tokens: parts.tokens, clock }), purgeAnonymousUsers({ users, clock })],
    },
  }
}

async function filesOf({ env, opened, log }: Needs): Promise<Files | undefined> {
  const { filesUrl } = readConfig(photosEnv, env)
  if (filesUrl !== undefined) return opened.use(await openFiles(filesUrl))
  log.warn('FILES_URL is not set: pictures of people are not taken')
  return undefined
}

const partsOf = (needs: Needs, forgetPhoto: AccountParts['forgetPhoto']) => ({
  database: needs.database,
  users: needs.users,
  passwords: needs.passwords,
  tokens: mailedTokenStore(needs.database),
  tokensIn: mailedTokenStore,
  accessIn: accountAccessStore,
  mails: needs.mails,
  outbox: needs.outbox,
  audit: needs.audit,
  clock: needs.clock,
  settings: needs.settings,
  origin: needs.origin,
  broadcast: needs.broadcast,
  forgetPhoto,
  removeMemberships: (tx: Queries, userId: string) => permissionStore(tx).removeUser(userId),
})
