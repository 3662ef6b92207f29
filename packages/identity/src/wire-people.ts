import { readConfig } from '@platform/config'
import { requestSampleWorkspace } from './accounts/first-start/request-sample-workspace.ts'
import { usersEnv } from './accounts/first-start/users-env.ts'
import { type WiredUsers, wireUsers } from './accounts/first-start/wire-users.ts'
import { getMe } from './accounts/get-me.ts'
import { wirePhotos } from './accounts/photos/wire-photos.ts'
import { wireAccounts } from './accounts/wire-accounts.ts'
import { wireUserAdministration } from './administration/wire-user-administration.ts'
import { openAuthentication } from './authentication/authentication.ts'
import { openSecondFactors } from './credentials/second-factors/wire-second-factors.ts'
import type { IdentityBase, Part } from './identity-base.ts'
import type { MintJwt } from './keys/mint-jwt.ts'
import type { KeyRing } from './keys/signing-keys/key-ring.ts'
import { wireMails } from './mails/wire-mails.ts'
import { ownClients } from './oidc/clients.ts'
import type { OidcSettings } from './oidc/oidc-settings.ts'
import { shownUser } from './users/shown-user.ts'

/** What people and their ways to sign in stand on. */
export interface Foundation extends IdentityBase {
  keyRing: KeyRing
  mintJwt: MintJwt
  oidcSettings: OidcSettings
}

export type People = Awaited<ReturnType<typeof wirePeople>>

/** Accounts, and who calls with which credential. */
export async function wirePeople(needs: Foundation) {
  const { env, oidcSettings, keyRing, csrf } = needs
  const mail = wireMails({ ...needs, origin: oidcSettings.origin })
  const wired = firstUsers(needs)
  const { users, passwords, ensureAdministrator } = wired
  const secondFactors = openSecondFactors({ ...needs, ...mail, env, users })
  const pictures = await wirePhotos({ ...needs, users })
  const callers = await openAuthentication({
    ...needs,
    keyRing,
    announcements: needs.broker.announcements,
    findUser: users.find,
    isOwnClient: ownClients(oidcSettings),
  })
  const account = wireAccounts({
    ...{ ...needs, ...mail, users, passwords },
    broadcast: callers.broadcast,
    forgetPhoto: pictures.photos.forget,
  })
  const me = getMe({ findUser: shownUser({ users, secondFactors }), csrf })
  const parts: Part[] = [
    mail,
    wired,
    pictures,
    callers,
    account,
    wireUserAdministration({ ...account, secondFactors }),
    { routes: [me], jobs: [] },
  ]
  const { files } = pictures
  return { users, passwords, ensureAdministrator, secondFactors, callers, account, files, parts }
}

/** The users, and the first one of a new platform with a sample workspace. */
function firstUsers(needs: Foundation): WiredUsers {
  const { env, config, workspacesUrl } = needs
  return wireUsers({
    ...needs,
    settings: readConfig(usersEnv, env),
    requestSample: requestSampleWorkspace({ workspacesUrl, internalKey: config.internalApiKey }),
  })
}
