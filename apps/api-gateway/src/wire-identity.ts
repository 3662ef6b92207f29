import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { type Env, readConfig } from '@platform/config'
import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { Outbox } from '@platform/outbox'
import type { ServiceContext } from '@platform/service'
import { createAnonymousSession } from './anonymous-sessions/create-anonymous-session.ts'
import { wireCallers } from './callers/wire-callers.ts'
import type { GatewayConfig } from './config.ts'
import { getMe } from './me/get-me.ts'
import { oidcEnv } from './oidc/oidc-env.ts'
import { wireOidc } from './oidc/wire-oidc.ts'
import { rateLimiter as newRateLimiter } from './rate-limits/rate-limiter.ts'
import { requestSampleWorkspace } from './sample-workspace/request-sample-workspace.ts'
import type { CookiePolicy } from './sessions/access-token-cookie.ts'
import { type CsrfTokens, csrfTokens } from './sessions/csrf-token.ts'
import { jwtMint } from './sessions/mint-jwt.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { KeyRing } from './signing-keys/key-ring.ts'
import { wireSigningKeys } from './signing-keys/wire-signing-keys.ts'
import { presentUser } from './users/user.ts'
import type { UserStore } from './users/user-store.ts'
import { usersEnv } from './users/users-env.ts'
import { wireUsers } from './users/wire-users.ts'

/** What identity is built on. */
export interface Stores {
  database: Database
  cache: Cache
  broker: Broker
  outbox: Outbox
}

/** Everything about who calls: keys, accounts, sessions, the OIDC server; each part needs those before it. */
export async function wireIdentity(env: Env, config: GatewayConfig, stores: Stores, context: ServiceContext) {
  const { clock, log } = context
  const { database, cache } = stores
  const cookies = { maxAgeSeconds: config.tokens.maxAgeSeconds, secure: config.secureCookies }
  const csrf = csrfTokens(config.cookieSecret)
  const { masterKeys, keys: policy } = config
  const keys = await wireSigningKeys({ ...stores, clock, log, masterKeys, policy })
  const { keyRing } = keys
  const workspacesUrl = config.upstreams.workspaces[0] ?? ''
  const accounts = wireUsers({
    database,
    clock,
    settings: readConfig(usersEnv, env),
    signOutEverywhere: (userId) => oidc.signOutEverywhere(userId),
    requestSample: requestSampleWorkspace({ workspacesUrl, internalKey: config.internalApiKey }),
  })
  const { users, passwords } = accounts
  const { announcements } = stores.broker
  const known = { database, keyRing, config, cookies, clock, log }
  const callers = await wireCallers({ ...known, announcements, findUser: users.find })
  const { sessions } = callers
  const oidc = wireOidc({ ...readConfig(oidcEnv, env), ...known, cache, sessions, users, passwords })
  const visitors = visitorRoutes({ ...known, cache, csrf, sessions, users })
  const own = [...visitors, ...keys.routes, ...callers.routes]
  return {
    csrf,
    cookies,
    identify: callers.identify,
    listening: callers.listening,
    ensureAdministrator: accounts.ensureAdministrator,
    routes: [...own, ...accounts.routes, ...oidc.routes],
    mounts: oidc.mounts,
    subscriptions: keys.subscriptions,
    jobs: [...keys.jobs, ...callers.jobs, ...accounts.jobs, ...oidc.jobs],
  }
}

interface VisitorNeeds extends Pick<ServiceContext, 'clock' | 'log'> {
  cache: Cache
  config: GatewayConfig
  cookies: CookiePolicy
  csrf: CsrfTokens
  keyRing: KeyRing
  sessions: Sessions
  users: UserStore
}

/** Starting without an account, and being told who one is. */
function visitorRoutes({ config, users, csrf, clock, cookies, ...needs }: VisitorNeeds): Route[] {
  const { disabled, anonymousLoginPerMinute } = config.rateLimits
  const anonymousSession = createAnonymousSession({
    insertUser: async (times) => presentUser(await users.insertAnonymous(times)),
    sessions: needs.sessions,
    mintJwt: jwtMint({ keyRing: needs.keyRing, issuer: config.issuer, audience: config.apiUrl, clock }),
    rateLimiter: newRateLimiter({ cache: needs.cache, clock, log: needs.log, disabled }),
    clock,
    cookies,
    clientId: config.studioClientId,
    perMinute: anonymousLoginPerMinute,
  })
  const findUser = async (userId: string) => {
    const user = await users.find(userId)
    return user && presentUser(user)
  }
  return [getMe({ findUser, csrf }), anonymousSession]
}
