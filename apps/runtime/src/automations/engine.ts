import type { Options } from '@platform/expressions'
import { type Clock, type Failure, type FailureBody, SlotList, StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { EventLimits } from '@platform/outbox'
import type { SlidingLimits } from '@platform/rate-limits'
import { contextTooLarge } from '../contexts/context-room.ts'
import type { ContextStore } from '../contexts/context-store.ts'
import type { StoredContext } from '../contexts/contexts.ts'
import type { Fetches } from '../fetches/fetches.ts'
import { ActiveRun } from './active-run.ts'
import type { Cancellation } from './active-run-parts.ts'
import { AutomationFailure, located } from './automation-failure.ts'
import { callAutomation } from './call-automation.ts'
import { EffectBuffer, type Effects } from './effect-buffer.ts'
import { failedEvent } from './error-event.ts'
import type { JournalReading, Segment } from './journal-entries.ts'
import type {
  CompiledAutomation,
  CompiledWorkspace,
  Elsewhere,
  FunctionPlace,
  HttpAnswer,
  LimitsByWorkspace,
  RunSubject,
  SourcePlace,
  StepObserver,
  Stubs,
  Throttle,
  Trigger,
} from './model.ts'
import { type ContextLifetimes, contextsOfRun, type PublicUrls } from './run-contexts.ts'
import { RunJournal } from './run-journal.ts'
import type { RunMarker } from './run-marker.ts'
import { RunWaits } from './run-waits.ts'
import { SizeWarnings } from './size-warnings.ts'
import { strandOf } from './strand.ts'
import type { TimeSlices } from './time-slices.ts'
import { systemTimers, type Timers } from './timers.ts'
import type { ParkedRun, WaitInbox } from './wait-inbox.ts'

export interface EngineParts {
  readonly clock: Clock
  readonly throttle: Throttle
  /** Resolves once the limits of a workspace are known here; undefined where they are. Never rejects. */
  readonly limitsKnown?: LimitsByWorkspace['ready'] | undefined
  readonly fetches: Fetches
  /** Where functions in code run; undefined where none do. */
  readonly functions?: FunctionPlace | undefined
  /** Automations of other workspaces. */
  readonly elsewhere?: Elsewhere | undefined
  readonly limits: SlidingLimits
  /** The answer of a request that does not wait for this run, or not any more. */
  readonly unheardAnswer: () => HttpAnswer
  readonly slices: Pick<TimeSlices, 'take' | 'next'>
  /** Those of the machine without it. */
  readonly timers?: Timers | undefined
  /** Where nothing outside may be asked: in runs of tests. */
  readonly stubs?: Stubs | undefined
  readonly events: EventLimits
  readonly maxDepth: number
  readonly options: Options
  readonly urls: PublicUrls
  readonly contexts: Pick<ContextStore, 'load'>
  readonly lifetimes: ContextLifetimes
  /** Characters of JSON the stored contexts may grow to. */
  readonly contextSizes: Readonly<Record<StoredContext, number>>
  readonly log: Pick<Logger, 'warn'>
  /** Where events come for runs that wait for them. */
  readonly waits: WaitInbox
  readonly maxWaitMs: number
  /** References to the secrets of a workspace by their names, for what has this correlation id. */
  readonly listSecrets: (
    workspace: Pick<CompiledWorkspace, 'id' | 'slug'>,
    correlationId: string,
  ) => Promise<Record<string, string>>
  readonly roleOf: (userId: string, workspaceId: string) => Promise<string | undefined>
  readonly emailOf: (userId: string) => Promise<string | undefined>
  /** In a process that may die: says whose turn it is. */
  readonly marker?: RunMarker | undefined
  /** Every step is told, too: of runs that are done apart. */
  readonly marksPlaces?: boolean | undefined
}

/** One run to be done. */
export interface RunOrder {
  readonly runId: string
  readonly workspace: CompiledWorkspace
  readonly automation: CompiledAutomation
  readonly payload: Readonly<Record<string, unknown>>
  readonly trigger: Trigger
  readonly subject: RunSubject
  readonly correlationId: string
  /** Depth of what caused the run; 0 when it stands at the beginning. */
  readonly depth: number
  readonly timeLimitMs: number
  /** True when it may be done again after a crash. */
  readonly repeatable: boolean
  /** True when nothing is stored of it yet: then that is done before it asks anything outside. Default false. */
  readonly isUnknown?: boolean
  /** How often the run was begun anew after a failure: what each try does has ids of its own. Default 0. */
  readonly try?: number
  /** What was committed of it on the way, when another process did it before. */
  readonly segments?: readonly Segment[]
  /** Somebody has asked for its end already. */
  readonly cancellation?: Cancellation | undefined
  /** Its workspace is suspended: it fails where it would go on. */
  readonly suspension?: Failure | undefined
  /** Only what the segments have is done again, without any effect. */
  readonly reading?: JournalReading
  /** Of a run that is not repeatable: so many characters of what comes in are kept for who looks at it later. */
  readonly recordsAtMost?: number | undefined
  /** Sees every step. */
  readonly observer?: StepObserver
  /** The answer to the request that waits for it. */
  readonly http?: HttpAnswer | undefined
  /** No event that is committed from now on is in a transaction before this one. */
  readonly horizon?: string
  /** Somebody waits for its end: it stays in memory while it waits. */
  readonly isAwaited?: boolean
  /** True while other runs may want its place: then it stays in memory through no wait but a very short one. */
  readonly isPlaceWanted?: (() => boolean) | undefined
  /** Commits what a long run did so far. */
  readonly commit: (effects: Effects) => Promise<void>
}

export interface RunOutcome {
  readonly output: unknown
  readonly failed: AutomationFailure | undefined
  /** What the record of the run keeps of a failure: secrets are masked, as in its events. */
  readonly error: RunError | undefined
  readonly startedAt: Date
  readonly durationMs: number
  /** What is still to be committed. */
  readonly effects: Effects
  /** Set when the run has not ended: it is given up until one of its waits is over. */
  readonly parked?: ParkedRun
  /** True when events may still be looking for waits of the run. */
  readonly hasWaited: boolean
}

/** A failure, and the place it happened in. */
export interface RunError extends FailureBody {
  readonly automationSlug: string
  readonly instruction: string
  /** Where the instruction stands in the text of the automation, if it was saved as YAML. */
  readonly line?: number
  readonly column?: number
}

export interface StartedRun {
  readonly run: ActiveRun
  /** Of a run that may be done again. */
  readonly journal: RunJournal | undefined
  /** Never rejects because of what an automation does. */
  readonly outcome: Promise<RunOutcome>
}

/** Runs automations. The caller that started a run commits its end, together with its record. */
export interface Engine {
  start(order: RunOrder): StartedRun
  /** Workspaces with runs under way here. */
  listWorkspaces(): string[]
  /** Has the runs of a workspace that are under way fail at their next step. */
  suspend(workspaceId: string, failure: Failure): void
}

export function createEngine(parts: EngineParts): Engine {
  const warnings = new SizeWarnings()
  const underWay = new SlotList<ActiveRun>()
  return {
    start(order) {
      const opened = { ...openRun(parts, order), warnings }
      const { run, journal } = opened
      const slot = underWay.add(run)
      const outcome = outcomeOf(parts, order, opened).finally(() => underWay.remove(slot))
      return { run, journal, outcome }
    },
    listWorkspaces: () => [...new Set([...underWay].map(({ workspace }) => workspace.id))],
    suspend(workspaceId, failure) {
      for (const run of underWay) if (run.workspace.id === workspaceId) run.suspension.begin(failure)
    },
  }
}

interface OpenedRun {
  readonly run: ActiveRun
  readonly buffer: EffectBuffer
  readonly journal: RunJournal | undefined
  readonly turns: MarkedTurns
  readonly warnings: SizeWarnings
}

function openRun(parts: EngineParts, order: RunOrder): Omit<OpenedRun, 'warnings'> {
  const { runId, workspace, trigger, subject, correlationId, repeatable } = order
  const now = () => parts.clock.now()
  const { reading, isUnknown, recordsAtMost } = order
  const hasJournal = repeatable || reading !== undefined || recordsAtMost !== undefined
  const use = { isUnknown, reading, recordsAtMost }
  const journal = hasJournal ? new RunJournal(order.segments, order.try, use) : undefined
  const readClock = () => (journal === undefined ? now() : journal.chance.now(now))
  const stored = contextsOfRun({
    workspace,
    trigger,
    subject,
    correlationId,
    now: readClock,
    journal,
    urls: parts.urls,
    store: parts.contexts,
    roleOf: parts.roleOf,
    emailOf: parts.emailOf,
    listSecrets: () => parts.listSecrets(workspace, correlationId),
    lifetimes: parts.lifetimes,
    maxSizes: parts.contextSizes,
    continuesRun: repeatable,
  })
  const buffer: EffectBuffer = new EffectBuffer(
    order.commit,
    () => stored.takePatches(contextsToStore(repeatable, buffer)),
    (err) => parts.log.warn({ err, runId }, 'a run could not commit on its way, its end tries again'),
    repeatable ? journal : undefined,
    parts.timers,
  )
  if (repeatable && journal !== undefined) journal.changes = stored
  const turns = markedTurns(parts, order)
  const run: ActiveRun = new ActiveRun({
    ...order,
    hasTurn: turns.begin,
    maxDepth: parts.maxDepth,
    commitsFirst: repeatable,
    isAwaited: !repeatable || order.isAwaited === true,
    journal,
    stored,
    options: parts.options,
    throttle: parts.throttle,
    fetches: parts.fetches,
    functions: parts.functions,
    elsewhere: parts.elsewhere,
    limits: parts.limits,
    slices: parts.slices,
    timers: parts.timers ?? systemTimers,
    stubs: parts.stubs,
    buffer,
    openWaits: () => waitsOf(parts, order, { run, buffer, journal }),
    maxWaitMs: parts.maxWaitMs,
    now,
    readClock,
  })
  run.cancel(order.cancellation)
  return { run, buffer, journal, turns }
}

/** Says when the run goes on and when it is over, where somebody wants to know. */
interface MarkedTurns {
  readonly begin?: () => void
  readonly end?: () => void
  readonly observed?: StepObserver
}

function markedTurns({ marker, marksPlaces }: EngineParts, order: RunOrder): MarkedTurns {
  if (marker === undefined) return {}
  const { runId, workspace, automation } = order
  const { slug: automationSlug, checksum } = automation
  const mark = { runId, workspaceId: workspace.id, automationSlug, checksum }
  const turns = { begin: () => marker.enter(mark), end: () => marker.leave(mark) }
  return marksPlaces === true ? { ...turns, observed: marker.placesOf(mark) } : turns
}

function waitsOf(
  parts: EngineParts,
  order: RunOrder,
  { run, buffer, journal }: Omit<OpenedRun, 'warnings' | 'turns'>,
): RunWaits {
  buffer.waits ??= new RunWaits({
    runId: order.runId,
    hasRow: order.repeatable,
    workspaceId: order.workspace.id,
    journal,
    buffer,
    inbox: parts.waits,
    now: () => parts.clock.now(),
    timers: parts.timers ?? systemTimers,
    horizon: order.horizon,
    isPlaceWanted: order.isPlaceWanted,
    onChange: () => run.reconsider(),
  })
  return buffer.waits
}

/** How the run ends, or that it is given up until a wait is over: then nothing more of it goes on here. */
function outcomeOf(parts: EngineParts, order: RunOrder, opened: OpenedRun): Promise<RunOutcome> {
  if (!order.repeatable || order.isAwaited === true) return perform(parts, order, opened)
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(park(parts, opened))
    opened.run.onIdle = giveUp
    perform(parts, order, opened).then(resolve, reject)
  })
}

/** What it did is kept, and how far it came. */
async function park(parts: EngineParts, { run, buffer, journal, turns }: OpenedRun): Promise<RunOutcome> {
  turns.end?.()
  run.onIdle = undefined
  run.close()
  const parked = buffer.waits?.park()
  const startedAt = parts.clock.now()
  const effects = await buffer.close()
  const { events, queued, patches } = effects
  const isNews = journal?.hasNews === true || events.length + queued.length + patches.length > 0
  if (journal !== undefined && isNews) effects.segment = journal.cut()
  const nothing = { output: undefined, failed: undefined, error: undefined, durationMs: 0 }
  return { ...nothing, startedAt, effects, hasWaited: true, ...(parked === undefined ? {} : { parked }) }
}

const allContexts: readonly StoredContext[] = ['global', 'user', 'session', 'socket', 'run']

/** No other run can read the `run` context of one that has triggered nothing. */
const contextsToStore = (repeatable: boolean, buffer: EffectBuffer): readonly StoredContext[] =>
  repeatable || buffer.hasTriggered ? allContexts : ['global', 'user', 'session', 'socket']

/** The same for a run that is done again, where no request waits any more. */
const answerShapedBy = (
  { unheardAnswer }: EngineParts,
  { automation, trigger, http }: RunOrder,
): HttpAnswer | undefined =>
  automation.shapesAnswer && trigger.type === 'endpoint' ? (http ?? unheardAnswer()) : undefined

async function perform(
  parts: EngineParts,
  order: RunOrder,
  { run, buffer, journal, turns, warnings }: OpenedRun,
): Promise<RunOutcome> {
  const { automation, payload, trigger } = order
  const startedAt = parts.clock.now()
  const clock = performance.now()
  const trace = order.try ? `try ${order.try}` : ''
  const depth = order.depth + 1
  const { observed = order.observer } = turns
  const http = answerShapedBy(parts, order)
  const strand = strandOf(order, () => buffer.waits?.eventPlaces ?? journal?.eventPlaces)
  const call = { automation, payload, trigger, depth, trace, inFinally: false, http, observed, strand }
  const root = { ...call, run, isFirst: true }
  let output: unknown
  let failed: AutomationFailure | undefined
  try {
    const known = parts.limitsKnown?.(order.workspace.id)
    if (known !== undefined) await known
    output = await callAutomation(root, parts.events)
    if (journal?.isBehind === true) throw journal.strayed()
    requireSizes(run, parts.contextSizes)
    for (const event of warnings.of(root, parts.contextSizes, parts.events)) void buffer.add(event)
  } catch (error) {
    failed = asFailure(error, automation)
  }
  if (journal?.hasStrayed === true) {
    failed = asFailure(journal.strayed(), automation)
    run.contexts.dropChanges()
    buffer.drop()
  }
  buffer.waits?.end()
  run.close()
  const place = await placeOf(order.workspace, failed)
  if (failed !== undefined && run.cancellation === undefined)
    void buffer.add(failedEvent(root, failed, place, parts.events))
  turns.end?.()
  const effects = await buffer.close()
  const error = failed && (run.secrets.mask(described(failed, place)) as RunError)
  const hasWaited = journal?.hasWaited === true
  const durationMs = Math.round(performance.now() - clock)
  return { output, failed, error, startedAt, durationMs, effects, hasWaited }
}

/** A context that is too large because others set more while the run waited fails it: nothing it set is kept. */
function requireSizes(run: ActiveRun, maxSizes: EngineParts['contextSizes']): void {
  const name = run.contexts.findTooLarge(maxSizes)
  if (name === undefined) return
  run.contexts.dropChanges()
  throw contextTooLarge(name, maxSizes[name])
}

/** In the text of the automation. That it can't be said now must not hide the failure. */
async function placeOf(
  workspace: CompiledWorkspace,
  failed: AutomationFailure | undefined,
): Promise<SourcePlace | undefined> {
  if (failed === undefined || failed.cause instanceof StoreError) return undefined
  return await workspace.placeOf(failed.automationSlug, failed.instruction).catch(() => undefined)
}

/** What the record of a run keeps of its failure. */
export const described = (
  { failure, automationSlug, instruction }: AutomationFailure,
  place?: SourcePlace,
): RunError => ({ ...failure.toJSON(), automationSlug, instruction, ...place })

function asFailure(error: unknown, automation: CompiledAutomation): AutomationFailure {
  const known = located(error, automation.slug, 'do')
  return known instanceof AutomationFailure ? known : new AutomationFailure(error, automation.slug, 'do')
}
