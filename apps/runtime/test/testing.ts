import { randomBytes } from 'node:crypto'
import { openMemoryCache } from '@platform/cache'
import {
  type AutomationDefinition,
  EMIT_TOPIC,
  type EventRecord,
  type FunctionDefinition,
  type When,
} from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { newWorkspaceId, systemClock } from '@platform/kernel'
import { createLogger, type Logger } from '@platform/logging'
import { buildRecord, defaultEventLimits } from '@platform/outbox'
import { permissionStore } from '@platform/permissions'
import type { SlidingLimits } from '@platform/rate-limits'
import { unlimited } from '@platform/rate-limits'
import { startTestService, type TestService } from '@platform/testing'
import {
  createEngine,
  type Engine,
  type EngineParts,
  type RunOrder,
  type RunOutcome,
} from '../src/automations/engine.ts'
import type { CompiledAutomation, CompiledWorkspace } from '../src/automations/model.ts'
import { TimeSlices } from '../src/automations/time-slices.ts'
import type { WaitInbox } from '../src/automations/wait-inbox.ts'
import { automationCompiler } from '../src/definitions/compile-automation.ts'
import { compileFunction } from '../src/definitions/compile-function.ts'
import { compileWorkspace } from '../src/definitions/compile-workspace.ts'
import type { IndexedAutomation } from '../src/definitions/definition-store.ts'
import { type Exchanges, type Fetches, openFetches } from '../src/fetches/fetches.ts'
import type { FetchSettings } from '../src/fetches/fetches-env.ts'
import type { OwnApi } from '../src/fetches/own-api.ts'
import type { ModuleStores } from '../src/modules/module.ts'
import { runtime } from '../src/service.ts'
import { unheardAnswer } from '../src/webhooks/shaped-answer.ts'
import { runtimeDatabaseUrl } from './databases.ts'

export { createStandIn, runsDatabase, runtimeDatabaseUrl } from './databases.ts'

/** What a test writes of an automation; its name is its slug. */
export type TestAutomation = Partial<Omit<AutomationDefinition, 'slug'>>
export type TestAutomations = Record<string, TestAutomation>
/** What a test writes of functions: the code alone is that of one in JavaScript without parameters. */
export type TestFunctions = Record<string, string | Omit<FunctionDefinition, 'name'>>

export interface TestRuntime extends TestService {
  /** Saves a workspace with these automations, of which `ada` is the owner and `eve` no member. */
  workspace(automations: TestAutomations, config?: Record<string, unknown>): Promise<TestWorkspace>
  /** The events of a workspace that were committed, in order. */
  events(workspaceId: string, type?: string): Promise<EventRecord[]>
  /** Calls a URL trigger as bytes on the wire. */
  call(workspaceId: string, path: string, init?: RequestInit & { asNobody?: boolean }): Promise<Response>
}

export interface TestWorkspace {
  id: string
  slug: string
  /** Declares these functions, by name, and no others. */
  declare(functions: TestFunctions): Promise<void>
  /** Saves other automations in place of these. */
  save(automations: TestAutomations): Promise<void>
  delete(): Promise<void>
}

/** A runtime service on a database of its own, or on that of another one. */
export async function startRuntime(
  options: {
    env?: Record<string, string>
    databaseUrl?: string
    log?: Logger
    everyMs?: Record<string, number>
  } = {},
): Promise<TestRuntime> {
  const databaseUrl = options.databaseUrl ?? (await runtimeDatabaseUrl())
  const service = await startTestService(runtime, { ...options, databaseUrl })
  const { database } = service
  return {
    ...service,
    workspace: (automations, config) => saveWorkspace(database, automations, config ?? {}),
    events: (workspaceId, type) => listEvents(database, workspaceId, type),
    call: (workspaceId, path, init = {}) =>
      fetch(`${service.url}/v2/workspaces/${workspaceId}/webhooks/${path}`, {
        ...init,
        headers: { ...service.headersOf(undefined), ...(init.headers as Record<string, string>) },
      }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

const definitionsOf = (automations: TestAutomations): Record<string, AutomationDefinition> =>
  Object.fromEntries(Object.entries(automations).map(([slug, one]) => [slug, { slug, name: slug, ...one }]))

const functionsOf = (functions: TestFunctions): Record<string, FunctionDefinition> =>
  Object.fromEntries(
    Object.entries(functions).map(([name, one]) => [
      name,
      typeof one === 'string' ? { name, language: 'javascript', code: one } : { name, ...one },
    ]),
  )

async function saveWorkspace(
  database: Database,
  automations: TestAutomations,
  config: Record<string, unknown>,
): Promise<TestWorkspace> {
  const id = newWorkspaceId()
  const slug = `ws-${randomBytes(5).toString('hex')}`
  const permissions = permissionStore(database)
  await permissions.insertWorkspace({ id, slug, name: 'Test' })
  await permissions.setRole(id, 'ada', 'owner')
  await database.many(sql`
    insert into workspaces.stand_in (workspace_id, workspace_slug, workspace_name, config, automations)
    values (${id}, ${slug}, 'Test', ${JSON.stringify({ value: config })},
      ${JSON.stringify(definitionsOf(automations))})`)
  return {
    id,
    slug,
    save: async (next) =>
      void (await database.many(sql`
        update workspaces.stand_in set automations = ${JSON.stringify(definitionsOf(next))},
          revision = revision + 1, touched_at = now() where workspace_id = ${id}`)),
    declare: async (functions) =>
      void (await database.many(sql`
        update workspaces.stand_in set functions = ${JSON.stringify(functionsOf(functions))},
          revision = revision + 1, touched_at = now() where workspace_id = ${id}`)),
    delete: async () =>
      void (await database.many(sql`
        update workspaces.stand_in set deleted = true, revision = revision + 1, touched_at = now()
        where workspace_id = ${id}`)),
  }
}

async function listEvents(database: Database, workspaceId: string, type?: string): Promise<EventRecord[]> {
  const rows = await database.many<{ record: EventRecord }>(sql`
    select record from outbox.events where workspace_id = ${workspaceId} order by xid, position`)
  return rows.map(({ record }) => record).filter((record) => type === undefined || record.type === type)
}

/** An event as a user of the workspace would have emitted it. */
export const emittedEvent = (workspaceId: string, type: string, payload: unknown = {}): EventRecord =>
  buildRecord({
    type,
    payload,
    source: {
      workspaceId,
      userId: 'ada',
      correlationId: randomBytes(16).toString('hex'),
      serviceTopic: EMIT_TOPIC,
    },
  })

/** Compiles automations without any database. */
export const compiled = (
  automations: TestAutomations,
  config: Record<string, unknown> = {},
  stores?: ModuleStores,
  functions: TestFunctions = {},
): TestCompiled => {
  const compile = automationCompiler(defaultEventLimits, new TimeSlices(), stores)
  const definitions = definitionsOf(automations)
  const made = new Map<string, CompiledAutomation>()
  const find = async (slug: string) => {
    if (!Object.hasOwn(definitions, slug)) return undefined
    const automation = made.get(slug) ?? (await compile('w', slug, definitions[slug]))
    made.set(slug, automation)
    return automation
  }
  const live = {
    workspaceId: 'w0123456789abcde',
    workspaceSlug: 'test',
    workspaceName: 'Test',
    config: { value: config },
    revision: 1,
    length: 0,
    automations: Object.values(definitions).map(indexed),
  }
  const declared = functionsOf(functions)
  const findFunction = async (name: string) =>
    Object.hasOwn(declared, name) ? compileFunction(declared[name]) : undefined
  const workspace = compileWorkspace(
    live,
    ({ slug }) => made.get(slug) ?? find(slug),
    undefined,
    findFunction,
  )
  return { ...workspace, compile: find }
}

export interface TestCompiled extends CompiledWorkspace {
  compile(slug: string): Promise<CompiledAutomation | undefined>
}

function endpointOf(slug: string, endpoint: When['endpoint']): string | null {
  if (endpoint === true) return slug
  return typeof endpoint === 'object' ? (endpoint.path ?? slug) : endpoint || null
}

const indexed = ({ slug, when, disabled, priority }: AutomationDefinition): IndexedAutomation => ({
  slug,
  checksum: slug,
  endpoint: endpointOf(slug, when?.endpoint),
  events: when?.events ?? null,
  disabled: disabled === true,
  priority: priority ?? null,
})

/** Calls to this machine are allowed; what may pass is tried again at once. */
export const testFetches = (settings: Partial<FetchSettings> = {}, own?: OwnApi): Fetches & Exchanges =>
  openFetches(
    {
      timeoutMs: 5000,
      maxTimeoutMs: 60_000,
      maxResponseBytes: 10_000_000,
      maxRetries: 3,
      firstPauseMs: 10,
      retryCodes: ['ECONNRESET', 'UND_ERR_SOCKET'],
      retryStatus: [429, 502, 503],
      allowedHosts: ['127.0.0.0/8'],
      forbiddenHosts: [],
      userAgent: 'test',
      allowsHttp2: false,
      proxies: { except: [], resolvesNames: false },
      concurrency: 100,
      streams: 100,
      ...settings,
    },
    own,
  )

/** Limits of this process alone. */
const ownLimits = (): SlidingLimits => {
  const cache = openMemoryCache()
  return { take: (key, use) => cache.slide(key, use) }
}

/** Waits of runs for which no event ever comes. */
export const noEvents: WaitInbox = {
  watch: () => ({ [Symbol.dispose]: () => undefined }),
  list: async () => ({ horizon: '0', answers: [] }),
  close: async () => ({ horizon: '0', answers: [] }),
  open: async () => undefined,
  forget: async () => undefined,
  horizon: async () => '0',
}

/** An engine that keeps nothing, for what automations compute. */
export const testEngine = (parts: Partial<EngineParts> = {}): Engine => createEngine(testEngineParts(parts))

export const testEngineParts = (parts: Partial<EngineParts> = {}): EngineParts => ({
  clock: systemClock,
  throttle: unlimited,
  fetches: testFetches(),
  limits: ownLimits(),
  unheardAnswer,
  slices: new TimeSlices(),
  events: defaultEventLimits,
  maxDepth: 20,
  options: { locale: 'en', timezone: 'UTC' },
  urls: { apiUrl: 'http://localhost:3001/v2', consoleUrl: 'http://localhost:3000' },
  contexts: { load: async () => ({ values: {}, ending: [] }) },
  lifetimes: { run: 60, session: 3600, anonymousSession: 3600, socket: 3600 },
  contextSizes: { run: 1000, user: 1000, session: 1000, global: 1000, socket: 1000 },
  listSecrets: async () => ({}),
  roleOf: async () => undefined,
  emailOf: async () => undefined,
  log: createLogger({ level: 'silent' }),
  waits: noEvents,
  maxWaitMs: 30 * 86_400_000,
  ...parts,
})

export interface TestOutcome extends RunOutcome {
  /** Every event of the run, also those committed on the way. */
  events: EventRecord[]
}

/** Runs the automation `main` of a workspace. */
export async function runMain(
  workspace: CompiledWorkspace,
  payload: Record<string, unknown> = {},
  order: Partial<RunOrder> = {},
  engine: Engine = testEngine(),
): Promise<TestOutcome> {
  const automation = await workspace.find('main')
  if (automation === undefined) throw new Error('The test needs an automation "main".')
  const events: EventRecord[] = []
  const { outcome } = engine.start({
    runId: '01900000-0000-7000-8000-000000000000',
    workspace,
    automation,
    payload,
    trigger: { type: 'endpoint', value: 'main' },
    subject: { userId: 'ada', sessionId: 'session-of-ada', email: 'ada@example.com' },
    correlationId: 'correlation-of-the-test',
    depth: 0,
    timeLimitMs: 5000,
    repeatable: false,
    commit: async (effects) => void events.push(...effects.events),
    ...order,
  })
  const result = await outcome
  return { ...result, events: [...events, ...result.effects.events] }
}
