import type { ServerResponse } from 'node:http'
import { auditMigrations } from '@platform/audit'
import type { Broker } from '@platform/broker'
import type { Cache } from '@platform/cache'
import { type Env, readConfig } from '@platform/config'
import { type Database, type Migrations, migrate } from '@platform/database'
import type { Files } from '@platform/files'
import { masterKeyRing } from '@platform/master-keys'
import type { Outbox } from '@platform/outbox'
import { permissionsMigrations } from '@platform/permissions'
import { type Limits, rateLimiter as limiter } from '@platform/rate-limits'
import { joinParts, type Part, type ServiceContext } from '@platform/service'
import { accountOffers } from './account-pages/account-offers.ts'
import { openAccountPages } from './account-pages/account-pages-part.ts'
import { accountsEnv } from './accounts/accounts-env.ts'
import { openAccounts } from './accounts/accounts-part.ts'
import type { FirstAdministrator } from './accounts/first-start/ensure-administrator.ts'
import { firstStart } from './accounts/first-start/first-start.ts'
import { requestSampleWorkspace } from './accounts/first-start/make-sample-workspace.ts'
import { usersEnv } from './accounts/first-start/users-env.ts'
import { administrationPart } from './administration/administration-part.ts'
import { openAuditTrail } from './audit/audit-part.ts'
import { openAuthentication } from './authentication/authentication-part.ts'
import type { IdentifiedRequest } from './authentication/identified-request.ts'
import { refuseForgedRequest } from './authentication/refuse-forged-request.ts'
import { openCredentials } from './credentials/credentials-part.ts'
import { type HashCost, RECOMMENDED_COST } from './credentials/passwords/password-hash.ts'
import { identityEnv } from './identity-env.ts'
import { openKeys } from './keys/keys-part.ts'
import { openMails } from './mails/mails-part.ts'
import { ownClients } from './oidc/clients.ts'
import { openExternalProviders } from './oidc/external-providers/external-providers-part.ts'
import { oidcEnv, signInEnv } from './oidc/oidc-env.ts'
import { openOidc } from './oidc/oidc-part.ts'
import type { Opened } from './opened.ts'
import { sealedColumns } from './sealed-columns.ts'
import { csrfTokens, forgetAccessTokenCookie } from './sessions/access-token-cookie.ts'
import { sessionsPart } from './sessions/sessions-part.ts'
import { userStore } from './users/user-store.ts'

/** Accounts, credentials, sessions, keys and what the gateway keeps beside them. */
const ownMigrations: Migrations = {
  schema: 'gateway',
  directory: new URL('../migrations/', import.meta.url),
}
/** What identity keeps, and what it needs of others. */
export const identityMigrations: readonly Migrations[] = [
  ownMigrations,
  auditMigrations,
  permissionsMigrations,
]

/** What identity is built on. */
interface Needs {
  database: Database
  cache: Cache
  broker: Broker
  outbox: Outbox
  /** Takes what is to be closed at the end. */
  opened: Opened
  /** Where the workspaces service answers: asked for a sample workspace at the first start. */
  workspacesUrl: string
  tuning?: IdentityTuning
}

/** What is the same in every installation, and other in tests alone. */
export interface IdentityTuning {
  /** What a hash of a password costs; the recommended cost unless stated. */
  hashCost?: HashCost
  /** How long credentials in memory are trusted after endings were last heard; five seconds unless stated. */
  unknownAfterMs?: number
}

/** Everything about who calls, as the gateway knows it. */
export interface Identity {
  /** Credential → principal, or nobody. Throws AuthenticationError for a bad one, wherever it is sent. */
  identify(call: IdentifiedRequest): void | Promise<void>
  /** Throws ForbiddenError for a change that another site may have made a browser send. */
  refuseForgedRequest(call: IdentifiedRequest): void
  /** Has the browser forget a cookie that is no longer good. */
  forgetCookie(response: ServerResponse): void
  rateLimiter: Limits
  /** Where pictures are kept; undefined where nothing is configured. */
  files: Files | undefined
  /** Run once the service listens; what it answers is to be printed. */
  ensureAdministrator(): Promise<FirstAdministrator | undefined>
  part: Part & Required<Pick<Part, 'routes' | 'mounts' | 'subscriptions' | 'jobs'>>
}

/** An operator has set a new password. */
const BY_OPERATOR = { actor: 'platform', reason: 'passwordReset' }

/** Each step needs those before it: settings and keys, people and their credentials, ways to sign in. */
export async function openIdentity(env: Env, needs: Needs, context: ServiceContext): Promise<Identity> {
  await migrate(needs.database, ownMigrations)
  const basis = await openBasis(env, needs, context)
  const people = await openPeople(basis)
  const signIn = openSignIn(basis, people)
  const first = firstStartOf(basis, people, needs.workspacesUrl)
  const { config, cookies, csrf, rateLimiter } = basis
  return {
    identify: people.authentication.identify,
    refuseForgedRequest: refuseForgedRequest({ csrf, allowedOrigins: config.allowedOrigins }),
    forgetCookie: (response) => response.setHeader('set-cookie', forgetAccessTokenCookie(cookies)),
    rateLimiter,
    files: people.account.files,
    ensureAdministrator: first.ensureAdministrator,
    part: joinParts(
      basis.trail.part,
      basis.keys.part,
      basis.mail.part,
      people.authentication.part,
      people.account.part,
      signIn.elsewhere.part,
      signIn.oidc.part,
      people.credentials.part(signIn.oidc.continueSignIn),
      sessionsOf(basis, people, signIn),
      administrationPart({
        accounts: people.account.parts,
        deletion: people.account.accounts,
        secondFactors: people.credentials.secondFactors,
        signOutEverywhere: (userId) => signIn.oidc.signOutEverywhere(userId, BY_OPERATOR),
      }),
      { jobs: [first.job] },
    ),
  }
}

type Basis = Awaited<ReturnType<typeof openBasis>>
type People = Awaited<ReturnType<typeof openPeople>>
type SignIn = ReturnType<typeof openSignIn>

/** The settings, what is shared by all parts, the audit trail, keys and mails. */
async function openBasis(env: Env, needs: Needs, { clock, log, development }: ServiceContext) {
  const { database, cache, broker, outbox, opened, tuning = {} } = needs
  const config = readConfig(identityEnv, env)
  const settings = readConfig(oidcEnv, env)
  const masterKeys = masterKeyRing(config.masterKeys)
  const trail = await openAuditTrail({ database, outbox, clock })
  const { origin } = settings
  return {
    env,
    config,
    settings,
    /** How accounts are made. */
    local: readConfig(accountsEnv, env),
    administrator: readConfig(usersEnv, env),
    database,
    outbox,
    announcements: broker.announcements,
    opened,
    clock,
    log,
    development,
    masterKeys,
    hashCost: tuning.hashCost ?? RECOMMENDED_COST,
    unknownAfterMs: tuning.unknownAfterMs,
    cookies: { maxAgeSeconds: config.tokens.maxAgeSeconds, secure: config.secureCookies },
    csrf: csrfTokens(config.cookieSecret),
    rateLimiter: limiter({ cache, log, service: 'api-gateway', settings: config.rateLimits }),
    trail,
    keys: await openKeys({
      database,
      outbox,
      audit: trail.audit,
      masterKeys,
      sealedColumns,
      policy: config.keys,
      issuer: config.issuer,
      audience: config.apiUrl,
      opened,
      clock,
      log,
    }),
    mail: openMails({ env, database, masterKeys, origin, development, opened, clock, log }),
  }
}

/** Users, what they prove who they are with, who calls, and accounts. */
async function openPeople(basis: Basis) {
  const { env, config, settings, database, outbox, opened, clock, log, masterKeys, csrf, rateLimiter } = basis
  const { audit, signInLog } = basis.trail
  const { mails } = basis.mail
  const users = userStore(database, basis.administrator.superAdminEmails)
  const credentials = openCredentials({
    env,
    database,
    users,
    mails,
    audit,
    signInLog,
    rateLimiter,
    masterKeys,
    hashCost: basis.hashCost,
    clock,
  })
  const authentication = await openAuthentication({
    database,
    announcements: basis.announcements,
    keyRing: basis.keys.keyRing,
    unknownAfterMs: basis.unknownAfterMs,
    findUser: users.find,
    isOwnClient: ownClients(settings),
    config,
    csrf,
    audit,
    signInLog,
    rateLimiter,
    opened,
    clock,
    log,
  })
  const account = await openAccounts({
    env,
    settings: basis.local,
    database,
    outbox,
    users,
    passwords: credentials.passwords,
    secondFactors: credentials.secondFactors,
    mails,
    audit,
    csrf,
    broadcast: authentication.broadcast,
    apiUrl: config.apiUrl,
    origin: new URL(config.issuer).origin,
    opened,
    clock,
    log,
  })
  return { users, credentials, authentication, account }
}

/** The ways to sign in: other OpenID providers, and the OIDC server with its pages. */
function openSignIn(basis: Basis, { users, credentials, authentication, account }: People) {
  const { env, config, settings, local, database, masterKeys, cookies, rateLimiter, clock, log } = basis
  const { audit, signInLog } = basis.trail
  const { sessions } = authentication
  const elsewhere = openExternalProviders({
    env,
    settings,
    clientId: config.studioClientId,
    localSignin: local.localSignIn,
    localSignup: local.localSignUp,
    database,
    outbox: basis.outbox,
    users,
    sessions,
    mintJwt: basis.keys.mintJwt,
    cookies,
    audit,
    signInLog,
    masterKeys,
    allowHttp: basis.development,
    opened: basis.opened,
    clock,
  })
  const oidc = openOidc({
    database,
    settings,
    ...readConfig(signInEnv, env),
    cookieSecret: config.cookieSecret,
    secureCookies: cookies.secure,
    keyRing: basis.keys.keyRing,
    sessions,
    users,
    passwords: credentials.passwords,
    secondFactors: credentials.secondFactors,
    offers: { ...accountOffers(settings, local), ...elsewhere.external.offers },
    external: elsewhere.external,
    accountPages: (server) => {
      const { accounts } = account
      return openAccountPages({ ...server, accounts, settings, rateLimiter, accountSettings: local })
    },
    hasSample: basis.administrator.withSample,
    audit,
    signInLog,
    rateLimiter,
    masterKeys,
    clock,
    log,
  })
  return { elsewhere, oidc }
}

function sessionsOf(basis: Basis, { users, authentication }: People, { oidc }: SignIn): Part {
  const { apiUrl, allowedOrigins, studioClientId: clientId, anonymousSessionsMax } = basis.config
  return sessionsPart({
    database: basis.database,
    users,
    sessions: authentication.sessions,
    records: authentication.records,
    keyRing: basis.keys.keyRing,
    mintJwt: basis.keys.mintJwt,
    cookies: basis.cookies,
    signOut: { session: oidc.endSession, everywhere: oidc.signOutEverywhere },
    leaveSession: oidc.leaveSession,
    browserSession: oidc.browserSession,
    broadcast: authentication.broadcast,
    apiUrl,
    allowedOrigins,
    clientId,
    anonymousMax: anonymousSessionsMax,
    clock: basis.clock,
  })
}

function firstStartOf(basis: Basis, { users, credentials }: People, workspacesUrl: string) {
  return firstStart({
    database: basis.database,
    users,
    passwords: credentials.passwords,
    settings: basis.administrator,
    requestSample: requestSampleWorkspace({ workspacesUrl, internalKey: basis.config.internalApiKey }),
  })
}
