import { setTimeout as pause } from 'node:timers/promises'
import type { Retry } from '@platform/contracts'
import { type Failure, StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { EventLimits } from '@platform/outbox'
import { cancelled } from '../automations/active-run-parts.ts'
import { AutomationFailure, RunEnded } from '../automations/automation-failure.ts'
import type { Effects } from '../automations/effect-buffer.ts'
import { described, type Engine, type RunOutcome } from '../automations/engine.ts'
import type { Segment } from '../automations/journal-entries.ts'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import { pauseBeforeNextTry } from '../automations/next-try.ts'
import type { RunSubject } from '../automations/run-input.ts'
import type { RunJournal } from '../automations/run-journal.ts'
import { workspaceSuspended } from '../automations/suspension.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { deadLetterEvent, tooManyCrashes } from './dead-letter.ts'
import type { JournalStore } from './journal-store.ts'
import {
  type Claim,
  type ClaimedRun,
  type ClaimedWork,
  isParked,
  type LeasedRun,
  leaseLost,
  type RunEnd,
} from './run.ts'
import type { RunChangeStore } from './run-change-store.ts'
import { type RunDetails, withJournal } from './run-details.ts'
import { type Ending, endOf, endWithOutput } from './run-end.ts'
import type { RunSlots } from './run-slots.ts'
import type { Commits } from './run-store.ts'
import { laterEventCame } from './slot-store.ts'

interface Deps {
  readonly engine: Engine
  readonly definitions: Pick<Definitions, 'find'>
  readonly commits: Commits
  readonly journals: Pick<JournalStore, 'list'>
  readonly changes: Pick<RunChangeStore, 'cancelAwaited'>
  readonly slots: Pick<RunSlots, 'take' | 'debounce' | 'leave'>
  /** The waits of a run were committed. */
  readonly onWaits: (runId: string) => void
  /** Of runs that are to be done apart from others. */
  readonly suspects?: Suspects | undefined
  readonly timeLimitMs: number
  readonly details: RunDetails
  readonly limits: EventLimits
  readonly log: Logger
}

/** Runs that may end a process, in one that may die. */
export interface Suspects {
  /** Whether a run is not to be done here, among others. */
  isToBeAlone(run: ClaimedRun, automation: CompiledAutomation): boolean
  setAside(claim: Claim): Promise<void>
}

const RETRY_MS = 500

/** A run whose workers crashed this often is given up, unless it can be done apart from others first. */
export const MAX_CRASHES = 5
/** Whoever was often among those that were killed with their machine has done nothing: alone, it is tried on. */
const MAX_CRASHES_APART = 10

const nothing: Effects = { events: [], queued: [], patches: [] }

/** Does a claimed run and commits what it did, unless another worker has claimed it meanwhile. */
export const workOnRun =
  (deps: Deps) =>
  async (run: ClaimedRun, leased: LeasedRun, signal: AbortSignal): Promise<void> => {
    const { claim } = leased
    const beginning = await prepare(deps, run)
    if (beginning === 'held') return
    if ('end' in beginning) return await endUnbegun(deps, run, beginning, signal)
    const { workspace, automation } = beginning

    const {
      run: active,
      journal,
      outcome,
    } = deps.engine.start({
      runId: run.id,
      workspace,
      automation,
      payload: run.input.payload,
      trigger: triggerOf(run),
      subject: subjectOf(run),
      correlationId: run.correlationId,
      depth: run.input.depth,
      timeLimitMs: deps.timeLimitMs,
      repeatable: true,
      try: run.try,
      segments: await segmentsOf(run, deps),
      cancellation: run.cancellation ?? undefined,
      suspension: suspensionOf(workspace),
      horizon: run.horizon,
      isPlaceWanted: leased.isPlaceWanted,
      commit: (effects) => commitSoFar(deps, { claim, effects, end: undefined }),
    })
    leased.active = active
    active.cancel(leased.cancellation)
    const result = await outcome
    throwIfStoreWasAway(result)

    reportOwnFailure(deps, run, result)
    if (active.hasEnded) return
    const settled = settledBy(deps, run, automation.retry, result, active)
    const isKept = deps.details.keeps(active, settled.end?.status)
    await write(deps, { claim, ...withDetailsOf(settled, journal, isKept) }, signal)
    if (!isParked(settled.end)) await leave(deps, run, settled.end, beginning)
  }

async function endUnbegun(deps: Deps, run: ClaimedRun, settled: Settled, signal: AbortSignal): Promise<void> {
  const claim = { id: run.id, attempt: run.attempt }
  await write(deps, { ...settled, claim, forgetsWaits: true }, signal)
  // Another process has begun it.
  if (run.attempt > 1) await endAwaited(deps, run.id)
}

/** It has not come as far as in a process before, or could not tell the runs that it waited for. */
const hasEndedEarly = ({ attempt }: ClaimedRun, end: Settled['end']): boolean =>
  end?.status === 'cancelled' || (end?.status === 'failed' && attempt > 1)

/** Ends runs in other workspaces that this one waited for. */
async function endAwaited({ changes, log }: Deps, runId: string): Promise<void> {
  await changes.cancelAwaited(runId).catch((err: unknown) => {
    log.warn({ err, runId }, 'runs that a run waited for could not be cancelled')
  })
}

/** A run whose workspace was suspended when it began has asked for no place. */
async function leave(
  deps: Deps,
  run: ClaimedRun,
  end: Settled['end'],
  { workspace, automation }: { workspace: CompiledWorkspace; automation: CompiledAutomation },
): Promise<void> {
  if (hasEndedEarly(run, end)) await endAwaited(deps, run.id)
  if (run.slot !== null || workspace.suspendedFor === undefined) await deps.slots.leave(run, automation)
}

const suspensionOf = ({ suspendedFor }: CompiledWorkspace): Failure | undefined =>
  suspendedFor === undefined ? undefined : workspaceSuspended(suspendedFor)

const subjectOf = ({ isAgain, input: { caller } }: ClaimedRun): RunSubject =>
  isAgain === true ? { ...caller, isAgain } : caller

/** Its caller may ask for what it answered. */
const isOfRequest = ({ triggerType }: ClaimedRun): boolean => triggerType === 'endpoint'

/** How far others have come with it. A run that nobody has worked on before has no journal. */
const segmentsOf = async (run: ClaimedRun, { journals }: Deps): Promise<Segment[]> =>
  run.attempt === 1 ? [] : await journals.list(run.id, run.try)

type Settled = Omit<ClaimedWork, 'claim'>

/** What is to be run; or the end of a run of which nothing is to be done; or that it waits for its place. */
async function prepare(
  deps: Deps,
  run: ClaimedRun,
): Promise<{ workspace: CompiledWorkspace; automation: CompiledAutomation } | Settled | 'held'> {
  const settled = withoutBeginning(run, deps)
  if (settled !== undefined) return settled
  const workspace = await deps.definitions.find(run.workspaceId, run.revision)
  const automation = await workspace?.find(run.automationSlug)
  if (workspace === undefined || automation === undefined || automation.disabled)
    return { effects: nothing, end: automationGone }
  if (workspace.suspendedFor !== undefined) return { workspace, automation }
  if (deps.suspects?.isToBeAlone(run, automation) === true) {
    await deps.suspects.setAside(run)
    return 'held'
  }
  return (await takePlace(deps, run, automation)) ?? { workspace, automation }
}

async function takePlace(
  { slots }: Deps,
  run: ClaimedRun,
  automation: CompiledAutomation,
): Promise<Settled | 'held' | undefined> {
  let place = 'debounce.key'
  try {
    const debounced = await slots.debounce(run, automation)
    if (debounced === 'replaced') return { effects: nothing, end: replaced }
    if (debounced !== 'passed') return 'held'
    place = 'concurrency.key'
    // One that a request began is under way already, and was never counted.
    const taken = isOfRequest(run) ? 'taken' : await slots.take(run, automation)
    if (taken === 'taken') return undefined
    return taken === 'full' ? { effects: nothing, end: dropped(automation) } : 'held'
  } catch (error) {
    if (error instanceof StoreError) throw error
    const failed = new AutomationFailure(error, automation.slug, place)
    return { effects: nothing, end: { status: 'failed', durationMs: 0, error: described(failed) } }
  }
}

const replaced: RunEnd = { status: 'cancelled', durationMs: 0, error: laterEventCame }

function dropped({ slug, concurrency }: CompiledAutomation): RunEnd {
  const reason = `"${slug}" is at work ${concurrency?.limit} times already (concurrency: drop).`
  return { status: 'cancelled', durationMs: 0, error: cancelled(reason).toJSON() }
}

/** The end of a run of which nothing is to be done any more: one that has begun still runs its `finally`. */
function withoutBeginning(run: ClaimedRun, { suspects, limits }: Deps): Settled | undefined {
  const most = suspects === undefined ? MAX_CRASHES : MAX_CRASHES_APART
  if (run.crashCount >= most) return tooManyCrashes(run, most, limits)
  if (run.cancellation === null || (run.attempt > 1 && run.cancellation.requests === 1)) return undefined
  const error = cancelled(run.cancellation.reason).toJSON()
  return { effects: nothing, end: { status: 'cancelled', durationMs: 0, error } }
}

/** Nothing is written then: the run is given back, and the worker that claims it next does it again. */
function throwIfStoreWasAway({ failed }: RunOutcome): void {
  if (failed?.cause instanceof StoreError && failed.cause.unavailable) throw failed.cause
}

function reportOwnFailure({ log }: Deps, { id: runId }: ClaimedRun, { failed }: RunOutcome): void {
  if (failed?.failure.status !== 500) return
  log.error({ err: failed.failure, runId }, 'an automation failed for a reason of ours')
}

const triggerOf = ({ triggerType, triggerValue, triggerId }: ClaimedRun) => ({
  type: triggerType,
  value: triggerValue,
  ...(triggerId === null ? {} : { id: triggerId }),
})

/** What is written of a run that has ended, or is given up until one of its waits is over. */
function settledBy(
  { limits }: Deps,
  run: ClaimedRun,
  retry: Retry | undefined,
  result: RunOutcome,
  ending: Ending,
): Settled {
  const { parked, effects, hasWaited: forgetsWaits } = result
  if (parked !== undefined) return { effects, end: { ...parked, status: 'parked' } }
  const end = (isOfRequest(run) || run.input.isAwaited === true ? endWithOutput : endOf)(result, ending)
  return { ...afterTry(run, ending.isSuspended ? ONCE : retry, { result, end, limits }), forgetsWaits }
}

/** A run that fails because its workspace is suspended is not tried again by itself: it is a dead letter at once. */
const ONCE: Retry = { attempts: 1 }

/** What came into it at last is kept with its end; one that is given up has kept it already. */
const withDetailsOf = (settled: Settled, journal: RunJournal | undefined, isKept: boolean): Settled =>
  isParked(settled.end) ? settled : { ...settled, effects: withJournal(settled.effects, journal, isKept) }

/** A run that failed waits for its next try where its automation says so; the last one leaves a dead letter. */
function afterTry(
  run: ClaimedRun,
  retry: Retry | undefined,
  { result, end, limits }: { result: RunOutcome; end: RunEnd; limits: EventLimits },
): Settled {
  const { effects, failed, error } = result
  if (retry === undefined || end.status !== 'failed' || failed === undefined || error === undefined)
    return { effects, end }
  const pauseMs = pauseBeforeNextTry(retry, failed.failure, run.try)
  if (pauseMs !== undefined) return { effects, end: { ...end, status: 'waiting', pauseMs } }
  const report = deadLetterEvent(run, error, 'fatal', limits)
  return { effects: { ...effects, events: [...effects.events, report] }, end: { ...end, isDeadLetter: true } }
}

const automationGone: RunEnd = {
  status: 'cancelled',
  durationMs: 0,
  error: {
    error: 'ObjectNotFoundError',
    message: 'The automation was deleted or disabled before it could run.',
  },
}

async function commitSoFar(deps: Deps, work: ClaimedWork): Promise<void> {
  if (!(await commit(deps, work))) throw new RunEnded(leaseLost())
}

async function commit({ commits, onWaits }: Deps, work: ClaimedWork): Promise<boolean> {
  const isOurs = await commits.writeClaimed(work)
  if (isOurs && work.effects.waits !== undefined) onWaits(work.claim.id)
  return isOurs
}

/** Waits for a store that is away. Effects that the store refuses because of their data end the run without them. */
async function write(deps: Deps, work: ClaimedWork, signal: AbortSignal): Promise<void> {
  for (;;) {
    const error = await attempt(deps, work)
    if (error === undefined) return
    if (!(error instanceof StoreError && error.unavailable)) return await writeUnstorable(deps, work, error)
    if (signal.aborted) throw error
    await pause(RETRY_MS)
  }
}

const attempt = (deps: Deps, work: ClaimedWork): Promise<unknown> =>
  commit(deps, work).then(
    () => undefined,
    (error: unknown) => error,
  )

async function writeUnstorable(deps: Deps, { claim }: ClaimedWork, cause: unknown): Promise<void> {
  deps.log.error({ err: cause, runId: claim.id }, 'what a run did could not be kept')
  const error = { error: 'InternalError', message: 'What the run did could not be kept.' }
  await deps.commits.writeClaimed({
    claim,
    effects: nothing,
    end: { status: 'failed', durationMs: 0, error },
  })
}
