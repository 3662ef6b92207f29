import { readConfig } from '@platform/config'
import { wireAccounts } from './accounts/wire-accounts.ts'
import { wireCallers } from './callers/wire-callers.ts'
import type { IdentityBase, Part } from './identity-base.ts'
import { wireMails } from './mails/wire-mails.ts'
import { getMe } from './me/get-me.ts'
import { ownClients } from './oidc/clients.ts'
import type { OidcSettings } from './oidc/oidc-settings.ts'
import { wirePhotos } from './photos/wire-photos.ts'
import { requestSampleWorkspace } from './sample-workspace/request-sample-workspace.ts'
import { openSecondFactors } from './second-factors/wire-second-factors.ts'
import type { MintJwt } from './sessions/mint-jwt.ts'
import type { KeyRing } from './signing-keys/key-ring.ts'
import { wireUserAdministration } from './user-administration/wire-user-administration.ts'
import { shownUser } from './users/shown-user.ts'
import { usersEnv } from './users/users-env.ts'
import { type WiredUsers, wireUsers } from './users/wire-users.ts'

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
  const callers = await wireCallers({
    ...needs,
    keyRing,
    announcements: needs.broker.announcements,
    findUser: users.find,
    isOwnClient: ownClients(oidcSettings),
  })
  const account = wireAccounts({
    ...{ ...needs, ...mail, users, passwords },
    spread: callers.spread,
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
  const { env, config } = needs
  const workspacesUrl = config.upstreams.workspaces[0] ?? ''
  return wireUsers({
    ...needs,
    settings: readConfig(usersEnv, env),
    requestSample: requestSampleWorkspace({ workspacesUrl, internalKey: config.internalApiKey }),
  })
}
