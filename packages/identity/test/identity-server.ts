import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAudit } from '@platform/audit'
import { openBroker } from '@platform/broker'
import { type Cache, openCache } from '@platform/cache'
import { type Database, migrate } from '@platform/database'
import { createApp, setRequestState } from '@platform/http'
import { randomBase62, systemClock } from '@platform/kernel'
import { createLogger, type Logger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { openOutbox } from '@platform/outbox'
import { rateLimiter } from '@platform/rate-limits'
import { joinParts } from '@platform/service'
import { generateSigningKey, KeyRing, type PrivateJwk } from '@platform/signing-keys'
import { templateDatabase, testDatabase } from '@platform/testing'
import { firstStart } from '../src/accounts/first-start/first-start.ts'
import { resetUserPassword } from '../src/administration/reset-user-password.ts'
import { signInLog } from '../src/audit/sign-in-log.ts'
import { openCredentials } from '../src/credentials/credentials-part.ts'
import { getJwks } from '../src/keys/signing-keys/get-jwks.ts'
import { openMails } from '../src/mails/mails-part.ts'
import { signInEnv } from '../src/oidc/oidc-env.ts'
import { openOidc } from '../src/oidc/oidc-part.ts'
import { oidcSettings } from '../src/oidc/oidc-settings.ts'
import type { SignInOffers } from '../src/oidc/sign-in-needs.ts'
import { sessionStore } from '../src/sessions/session-store.ts'
import { sessionTrail } from '../src/sessions/session-trail.ts'
import { liveSessions } from '../src/sessions/sessions.ts'
import { purgeAnonymousUsers, userStore } from '../src/users/user-store.ts'
import { CHEAP_HASH } from './cheap-hash.ts'

export const ADMIN = { email: 'ada@example.com', password: 'correct horse battery' }
const CONSOLE = 'http://console.localhost:3000'
const SIZES: Record<string, { kty: 'RSA' | 'EC'; size: number }> = {
  RS256: { kty: 'RSA', size: 2048 },
  ES384: { kty: 'EC', size: 384 },
}

/** A database with the schema of the gateway. */
export async function identityDatabase() {
  return testDatabase(
    await templateDatabase('gateway identity', async (database) => {
      await migrate(database, { schema: 'gateway', directory: new URL('../migrations/', import.meta.url) })
      await openBase(database, await openCache('memory:'), false)
    }),
  )
}

/** A sign-in page with nothing but its form. */
export const noOffers: SignInOffers = {
  links: () => [],
  providers: async () => [],
  wantedProvider: () => undefined,
  elsewhere: async () => undefined,
  validatedBy: 'mail',
  validationUrl: () => undefined,
}

export type IdentityServer = Awaited<ReturnType<typeof startIdentityServer>>

interface Options {
  database: Awaited<ReturnType<typeof identityDatabase>>
  port?: number
  alg?: string
  attemptsLimited?: boolean
  keys?: PrivateJwk[]
  /** LOGIN_URL, DISABLE_LOCAL_SIGNIN, MFA_FORCE_LOCAL and the like. */
  env?: Record<string, string>
  offers?: SignInOffers
  /** What the OIDC server is told beside the addresses. */
  given?: Partial<Parameters<typeof oidcSettings>[0]>
}

/** Accounts, OIDC server and sign-in pages on a port, over real sessions and keys, without the rest of the gateway. */
export async function startIdentityServer(options: Options) {
  const { database, alg = 'RS256' } = options
  const stack = new AsyncDisposableStack()
  const server = stack.adopt(createServer(), closed)
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`

  const keys = options.keys ?? [await newKey(alg)]
  const parts = await wire(options, origin, keys, stack)
  stack.use(parts.cache)
  server.on('request', parts.listener)
  await parts.accounts.ensureAdministrator()

  return {
    ...parts,
    origin,
    port,
    keys,
    database,
    consoleSignIn: `${CONSOLE}/signin`,
    /** A new key signs from now on; the old ones stay published. */
    async rotate() {
      keys.unshift(await newKey(alg))
      await parts.keyRing.reload()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function wire(options: Options, origin: string, keys: PrivateJwk[], opened: AsyncDisposableStack) {
  const { database, attemptsLimited = false, env = {}, offers = noOffers } = options
  const cache = await openCache('memory:')
  const base = await openBase(database, cache, attemptsLimited)
  const { clock, log } = base
  const load = async () => keys.map((jwk, index) => ({ kid: jwk.kid, alg: jwk.alg, signs: index === 0, jwk }))
  const keyRing = new KeyRing(load, clock)
  await keyRing.reload()
  const records = sessionStore(database, sessionTrail(base))
  const sessions = liveSessions({ records, broadcast: async () => undefined, clock })
  const settings = oidcSettings({
    apiUrl: `${origin}/v2`,
    consoleUrls: [CONSOLE],
    studioClientId: 'local-client-id',
    accessTokenSeconds: 3600,
    cookieSecret: 'a secret of the tests 0123456789',
    ...options.given,
  })
  const users = userStore(database, [])
  const { mails } = openMails({ ...base, opened, env, origin, development: true })
  const credentials = openCredentials({ ...base, env, users, mails })
  const { passwords, secondFactors } = credentials
  const accounts = firstStart({
    database,
    users,
    passwords,
    settings: { ...ADMIN, superAdminEmails: [], withSample: false, opsCommand: 'ops' },
    requestSample: async () => undefined,
  })
  const needs = { ...base, cache, keyRing, sessions, settings, users, passwords, secondFactors }
  const oidc = openOidc({
    ...needs,
    ...signInEnv.parse(env),
    cookieSecret: 'a secret of the tests 0123456789',
    secureCookies: false,
    hasSample: false,
    offers,
    external: { takeTicket: async () => undefined },
    accountPages: () => ({ interactions: {}, mounts: [] }),
  })
  const { continueSignIn, signOutEverywhere } = oidc
  const { routes, mounts, jobs } = joinParts(
    {
      routes: [getJwks({ keyRing }), resetUserPassword({ users, passwords, signOutEverywhere })],
      jobs: [purgeAnonymousUsers({ users, clock }), accounts.job],
    },
    credentials.part(continueSignIn),
    oidc.part,
  )
  const listener = identified(createApp(routes, mounts, { rateLimiter: base.rateLimiter }), log)
  return { ...needs, accounts, jobs, listener }
}

/** What identity is built on, without the gateway around it. */
async function openBase(database: Database, cache: Cache, isLimited: boolean) {
  const clock = systemClock
  const log = createLogger({ level: process.env.LOG_LEVEL ?? 'silent' })
  const audit = await openAudit({ database, clock })
  const broker = await openBroker('postgres:', { database, log })
  const outbox = await openOutbox({ database, broker, log })
  const settings = { disabled: !isLimited, points: new Map() }
  const limits = rateLimiter({ cache, log, service: 'test', settings })
  return {
    ...{ database, clock, log, audit, outbox },
    rateLimiter: limits,
    signInLog: signInLog({ database, outbox, audit, clock }),
    masterKeys: masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]),
    hashCost: CHEAP_HASH,
  }
}

/** What the pipeline of the gateway does before its own routes, as far as these tests need it. */
const identified =
  (app: RequestListener, log: Logger): RequestListener =>
  (request, response) => {
    const isInternal = request.headers['x-test-internal'] === 'yes'
    setRequestState(request, {
      correlationId: randomBase62(20),
      clientIp: '127.0.0.1',
      startedAt: Date.now(),
      log,
      principal: isInternal ? { kind: 'internal' } : undefined,
      route: undefined,
      deadlineAt: Date.now() + 60_000,
    })
    app(request, response)
  }

async function closed(server: Server): Promise<void> {
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await stopped
}

const newKey = (alg: string): Promise<PrivateJwk> => {
  const { kty, size } = SIZES[alg] ?? { kty: 'RSA' as const, size: 2048 }
  return generateSigningKey({ kty, size, alg, rotationMs: 0, publishAheadMs: 0, keepRotatedMs: 0 })
}
