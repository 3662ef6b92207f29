import type { ServerResponse } from 'node:http'
import { type Env, readConfig } from '@platform/config'
import { migrate } from '@platform/database'
import type { ServiceContext } from '@platform/service'
import { resetUserPassword } from './administration/reset-user-password.ts'
import { wireAudit } from './audit/wire-audit.ts'
import { refuseForgedRequest } from './authentication/refuse-forged-request.ts'
import { type IdentityNeeds, identityBase, type Part } from './identity-base.ts'
import { identityEnv } from './identity-env.ts'
import { wireMasterKeys } from './keys/master-keys/wire-master-keys.ts'
import { jwtMint } from './keys/mint-jwt.ts'
import { wireSigningKeys } from './keys/signing-keys/wire-signing-keys.ts'
import { oidcEnv } from './oidc/oidc-env.ts'
import { sealedColumns } from './sealed-columns.ts'
import { forgetAccessTokenCookie } from './sessions/access-token-cookie.ts'
import { wireAnonymousSessions } from './sessions/anonymous/wire-anonymous-sessions.ts'
import { wireWebSessionTickets } from './sessions/web-session-tickets/wire-web-session-tickets.ts'
import { wireSessions } from './sessions/wire-sessions.ts'
import { type Foundation, type People, wirePeople } from './wire-people.ts'
import { type WiredSignIn, wireSignIn } from './wire-sign-in.ts'

/** An operator has set a new password. */
const BY_OPERATOR = { actor: 'platform', reason: 'passwordReset' }

/**
 * Everything about who calls. Each step needs those before it: keys, people, ways to sign in, sessions and their end.
 */
export async function openIdentity(env: Env, needs: IdentityNeeds, context: ServiceContext) {
  const config = readConfig(identityEnv, env)
  await migrate(needs.database, 'gateway', new URL('../migrations/', import.meta.url))
  const base = await identityBase(env, config, needs, context)
  const keys = await wireSigningKeys({ ...base, policy: config.keys })
  const { keyRing } = keys
  const mintJwt = jwtMint({ ...base, keyRing, issuer: config.issuer, audience: config.apiUrl })
  const foundation = { ...base, keyRing, mintJwt, oidcSettings: readConfig(oidcEnv, env) }

  const people = await wirePeople(foundation)
  const signIn = wireSignIn(foundation, people)
  const parts: Part[] = [
    wireAudit(base),
    keys,
    wireMasterKeys({ ...base, sealedColumns }),
    ...people.parts,
    ...signIn.parts,
    ...sessionParts(foundation, people, signIn),
  ]
  return {
    rateLimiter: base.rateLimiter,
    identify: people.callers.identify,
    refuseForgedRequest: refuseForgedRequest({ csrf: base.csrf, allowedOrigins: config.allowedOrigins }),
    forgetCookie: (response: ServerResponse) =>
      response.setHeader('set-cookie', forgetAccessTokenCookie(base.cookies)),
    files: people.files,
    ensureAdministrator: people.ensureAdministrator,
    part: {
      routes: parts.flatMap(({ routes }) => routes),
      mounts: signIn.oidc.mounts,
      subscriptions: keys.subscriptions,
      jobs: parts.flatMap(({ jobs }) => jobs),
    },
  }
}

/** Sessions as people begin, see and end them. Ending one also ends what the OIDC server could start new ones with. */
function sessionParts(foundation: Foundation, people: People, { oidc }: WiredSignIn): Part[] {
  const { users, passwords, callers } = people
  const { sessions, sessionRecords: records } = callers
  const { endSession, signOutEverywhere, leaveVisit, browserSession } = oidc
  const resetByOperator = resetUserPassword({
    users,
    passwords,
    signOutEverywhere: (userId) => signOutEverywhere(userId, BY_OPERATOR),
  })
  return [
    wireSessions({ ...foundation, records, signOut: { session: endSession, everywhere: signOutEverywhere } }),
    wireWebSessionTickets({
      ...foundation,
      ...{ sessions, leaveVisit, browserSession },
      providerOf: records.providerOf,
      findUser: users.find,
    }),
    wireAnonymousSessions({ ...foundation, users, sessions, records, broadcast: callers.broadcast }),
    { routes: [resetByOperator], jobs: [] },
  ]
}
