import { identityHeaders, type Principal, type UserPrincipal } from '@platform/auth'
import { headers as names, resourceScopes, services } from '@platform/contracts'
import { type Database, migrate, openDatabase } from '@platform/database'
import { type Clock, systemClock } from '@platform/kernel'
import { createLogger, type Logger } from '@platform/logging'
import { ensurePartitions } from '@platform/outbox'
import { Resources, type RunningService, type Service, startService } from '@platform/service'
import { type Client, createClient } from '@platform/service-client'
import { templateDatabase, testDatabaseUrl } from './postgres-server.ts'

/** The internal key of services under test. */
export const TEST_INTERNAL_KEY = 'internal-key-of-the-tests-0123456789'

/** What tests change of a caller; the rest is an ordinary account with all scopes. */
export type CallerOptions = Partial<Omit<UserPrincipal, 'kind'>>

/** A service running on a database of its own, and callers as the gateway would forward them. */
export interface TestService extends AsyncDisposable {
  url: string
  env: Record<string, string>
  database: Database
  resources: Resources
  /** A client acting as this user. */
  as(options: CallerOptions): Client
  /** A client the gateway forwards without a credential. */
  nobody: Client
  /** The platform itself: the internal key and nobody behind it. */
  internal: Client
  /** Headers of such a caller, for requests no client would send. */
  headersOf(principal: Principal | undefined): Record<string, string>
}

/** What a test changes of the surroundings of a service. */
export interface TestServiceOptions {
  env?: Record<string, string>
  databaseUrl?: string
  log?: Logger
  clock?: Clock
  /** How often jobs run, by their names, where a test can't wait for as long as they do. */
  everyMs?: Record<string, number>
}

/** Starts a service with its real parts: PostgreSQL, the outbox broker and an in-process cache. */
export async function startTestService(
  service: Service,
  options: TestServiceOptions = {},
): Promise<TestService> {
  const databaseUrl = options.databaseUrl ?? (await migratedDatabaseUrl(service))
  const env = { ...testEnvironment(databaseUrl), ...options.env }
  const stack = new AsyncDisposableStack()
  const log = options.log ?? createLogger({ level: env.LOG_LEVEL ?? 'silent' })
  const resources = stack.use(new Resources(log, { development: true }))
  const clock = options.clock ?? systemClock
  const context = { log, clock, version: '0.0.0-test', development: true }
  const stopping = new AbortController()
  const running = stack.use(
    await startService(withJobsEvery(service, options.everyMs), env, resources, context, {
      drainDelayMs: 0,
      signal: stopping.signal,
    }),
  )
  stack.defer(() => stopping.abort())
  const database = stack.use(await openDatabase(databaseUrl, { allowWeakDurability: true }))
  return {
    ...callersOf(running),
    env,
    database,
    resources,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/**
 * A second of every start is migrating, and a tenth making partitions: a database comes with that done, once a run for
 * all of the same schemas.
 */
async function migratedDatabaseUrl({ migrations = [] }: Service): Promise<string> {
  const schemas = migrations.map(({ schema }) => schema)
  const template = await templateDatabase(`schemas ${schemas.join(' ')}`, async (database) => {
    for (const one of migrations) await migrate(database, one)
    if (schemas.includes('outbox')) await ensurePartitions(database, new Date())
  })
  return await testDatabaseUrl(template)
}

/** The service, some of whose jobs run more often. Throws where it has no such job. */
function withJobsEvery(service: Service, everyMs: Record<string, number> = {}): Service {
  return {
    ...service,
    async build(...given) {
      const parts = await service.build(...given)
      const jobs = (parts.jobs ?? []).map((job) => ({ ...job, everyMs: everyMs[job.name] ?? job.everyMs }))
      const missing = Object.keys(everyMs).filter((name) => !jobs.some((job) => job.name === name))
      if (missing.length > 0) throw new Error(`${service.name} has no job ${missing.join(', ')}.`)
      return { ...parts, jobs }
    },
  }
}

/** Every port is free, every store is the embedded one, no limit holds a test back. */
function testEnvironment(databaseUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    ...Object.fromEntries(Object.values(services).map(({ portVariable }) => [portVariable, '0'])),
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    BROKER_URL: 'postgres:',
    CACHE_URL: 'memory:',
    SEARCH_URL: 'postgres:',
    INTERNAL_API_KEY: TEST_INTERNAL_KEY,
    SECRETS_MASTER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    SESSION_COOKIES_SIGN_SECRET: 'cookie-secret-of-the-tests-0123456789',
    RATE_LIMIT_DISABLED: 'true',
    // A machine that runs tests is busy: that is no overload.
    GATEWAY_MAX_LAG_MS: '0',
  }
}

function callersOf(running: RunningService) {
  const { url } = running
  const headersOf = (principal: Principal | undefined): Record<string, string> => {
    const list = identityHeaders(principal)
    const headers: Record<string, string> = { [names.internalKey]: TEST_INTERNAL_KEY }
    if (principal?.kind !== 'internal') headers[names.clientIp] = '127.0.0.1'
    for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? ''
    return headers
  }
  return {
    url,
    headersOf,
    as: (options: CallerOptions) => createClient(url, headersOf(userPrincipal(options))),
    nobody: createClient(url, headersOf(undefined)),
    internal: createClient(url, headersOf({ kind: 'internal' })),
  }
}

/** An ordinary signed-in account, changed as a test needs it. */
export function userPrincipal(options: CallerOptions = {}): UserPrincipal {
  const userId = options.userId ?? 'ada'
  return {
    kind: 'user',
    userId,
    sessionId: `session-of-${userId}`,
    via: 'jwt',
    anonymous: false,
    superAdmin: false,
    scopes: resourceScopes,
    clientId: 'test-client',
    email: `${userId}@example.com`,
    apiKeyId: undefined,
    ...options,
  }
}
