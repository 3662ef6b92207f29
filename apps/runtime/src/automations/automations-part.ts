import type { Cache } from '@platform/cache'
import { workspaceEvents } from '@platform/contracts'
import type { Database } from '@platform/database'
import { type FetchRate, openFunctionCalls } from '@platform/function-calls'
import { type Clock, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type Permissions, permissionStore } from '@platform/permissions'
import { createThrottle, slidingLimits, throttled, unlimited } from '@platform/rate-limits'
import { inBatches, type Job, onEveryInstance, type Part, type Subscription } from '@platform/service'
import type { RuntimeConfig } from '../config.ts'
import { accountStore, type ContextStore, contextStore } from '../contexts/context-store.ts'
import { type Fetches, openFetches } from '../fetches/fetches.ts'
import type { OwnApi } from '../fetches/own-api.ts'
import { createEngine, type Engine, type EngineParts } from './engine.ts'
import type { Elsewhere, FunctionPlace, LimitsByWorkspace } from './model.ts'
import { workspaceSuspended } from './suspension.ts'
import { type TestSettings, testSettings } from './test-settings.ts'
import type { TimeSlices } from './time-slices.ts'
import type { WaitInbox } from './wait-inbox.ts'

/** What runs automations, and the stored contexts they share. */
export interface Automations {
  readonly engine: Engine
  /** One that asks nobody and changes nothing: for what is done again only to look at it. */
  readonly readingEngine: (slices: EngineParts['slices']) => Engine
  /** What tests of automations run by. */
  readonly testSettings: TestSettings
  /** How functions in code are called, and how they call the outside. */
  readonly outside: { readonly functions: FunctionPlace; readonly fetches: Fetches }
  readonly part: Part
}

export function automationsPart({
  database,
  cache,
  permissions,
  clock,
  log,
  slices,
  unheardAnswer,
  waits,
  listSecrets,
  limits,
  own,
  elsewhere,
  config,
  marker,
  marksPlaces,
}: {
  database: Database
  cache: Cache
  permissions: Permissions
  clock: Clock
  log: Logger
  slices: TimeSlices
  unheardAnswer: EngineParts['unheardAnswer']
  waits: WaitInbox
  listSecrets: EngineParts['listSecrets']
  /** Undefined where nobody is held back. */
  limits: LimitsByWorkspace | undefined
  own: OwnApi
  elsewhere: Elsewhere
  config: RuntimeConfig
} & Pick<EngineParts, 'marker' | 'marksPlaces'>): Automations {
  const contexts = contextStore(database)
  const fetches = openFetches(config.fetches, own)
  const { throttling } = config
  const throttle = throttling === undefined ? unlimited : createThrottle(throttling, limits?.limitsOf)
  const functions = openFunctionCalls({ ...config, log })
  const place: FunctionPlace = {
    calls: functions,
    exchange: fetches.exchange,
    // What functions fetch counts as what automations do.
    mayFetch: (workspaceId, signal) => throttled(throttle, workspaceId, 'fetches', signal),
    fetchRateOf: fetchRates(throttling, limits),
  }
  const parts: EngineParts = {
    clock,
    fetches,
    elsewhere,
    limits: slidingLimits({ cache, log, service: 'automations' }),
    unheardAnswer,
    functions: place,
    throttle,
    limitsKnown: limits?.ready,
    slices,
    events: config.events,
    maxDepth: config.maxDepth,
    options: { ...config.expressions, now: () => clock.now() },
    urls: config.urls,
    contexts,
    log,
    waits,
    maxWaitMs: config.runs.maxWaitMs,
    lifetimes: config.lifetimes,
    contextSizes: config.contextSizes,
    listSecrets,
    roleOf: (userId, workspaceId) => permissions.roleOf(userId, workspaceId),
    emailOf: accountStore(database).findEmail,
    marker,
    marksPlaces,
  }
  const engine = createEngine(parts)
  return {
    engine,
    readingEngine: (slices) => readingEngine(parts, slices),
    testSettings: testSettings(config, { slices, log, unheardAnswer, marker }),
    outside: { functions: place, fetches },
    part: {
      subscriptions: [endSuspended(engine)],
      jobs: [deleteExpiredContexts(contexts), endSuspendedInTime(engine, database)],
      async closing() {
        await functions[Symbol.asyncDispose]()
        await fetches[Symbol.asyncDispose]()
      },
    },
  }
}

/** Another service that runs functions knows only what holds for all: it is told what is said of one workspace. */
const fetchRates =
  (ofAll: RuntimeConfig['throttling'], byWorkspace: LimitsByWorkspace | undefined) =>
  (workspaceId: string): FetchRate => {
    if (ofAll === undefined || byWorkspace === undefined) return undefined
    const limits = byWorkspace.limitsOf(workspaceId)
    if (limits === undefined) return null
    const { perSecond, burst } = limits.fetches
    const isOfAll = perSecond === ofAll.fetches.perSecond && burst === ofAll.fetches.burst
    return isOfAll ? undefined : { perSecond, burst }
  }

const never = () => new Promise<never>(() => undefined)
const nobodyWaits: EngineParts['waits'] = {
  watch: () => ({ [Symbol.dispose]: () => undefined }),
  list: never,
  close: never,
  open: never,
  forget: async () => undefined,
  horizon: never,
}

/** Whatever the run saw of contexts and of its user is in its journal. */
export const readingEngine = (parts: EngineParts, slices: EngineParts['slices']): Engine =>
  createEngine({
    ...parts,
    slices,
    throttle: unlimited,
    limitsKnown: undefined,
    contexts: { load: async () => ({ values: {}, ending: [] }) },
    listSecrets: async () => ({}),
    roleOf: async () => undefined,
    emailOf: async () => undefined,
    waits: nobodyWaits,
  })

/** Runs under way fail at their next step when their workspace is suspended. */
const endSuspended = (engine: Engine): Subscription =>
  onEveryInstance(workspaceEvents.suspended, ({ payload }) => {
    const told = workspaceEvents.suspended.payload.safeParse(payload).data
    if (told?.suspended === true) engine.suspend(told.workspaceId, workspaceSuspended(told.reason))
  })

/** The same where the event did not come, or came before the run. */
const endSuspendedInTime = (engine: Engine, database: Database): Job => ({
  name: 'end-runs-of-suspended-workspaces',
  everyMs: 2 * SECOND_MS,
  async run() {
    const workspaceIds = engine.listWorkspaces()
    if (workspaceIds.length === 0) return
    for (const { workspaceId, reason } of await permissionStore(database).listSuspended(workspaceIds))
      engine.suspend(workspaceId, workspaceSuspended(reason))
  },
})

/** Contexts deleted in one statement, so that none keeps its locks for long. */
const BATCH = 1000

/** Deletes the values of runs and sessions that are over. Any instance may run it. */
export const deleteExpiredContexts = (contexts: Pick<ContextStore, 'deleteExpired'>): Job => ({
  name: 'delete-expired-contexts',
  everyMs: MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, contexts.deleteExpired),
})
