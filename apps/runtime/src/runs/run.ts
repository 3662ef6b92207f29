import type { Queries, Sql } from '@platform/database'
import { Failure, type FailureBody } from '@platform/kernel'
import type { ActiveRun } from '../automations/active-run.ts'
import type { Cancellation } from '../automations/active-run-parts.ts'
import type { Effects } from '../automations/effect-buffer.ts'
import type { QueuedRun, RunInput, RunSubject, Trigger } from '../automations/model.ts'
import type { NewWait, ParkedRun } from '../automations/wait-inbox.ts'

/*
 * A run happens in one of two ways. A request waits for it: run-now.ts runs it in the request and writes it once, with
 * everything it did. Or an event or another run triggered it: on-events.ts queues it, work-queue.ts claims it with a
 * lease, work-on-run.ts runs it, and what it writes counts only while its claim does. Where the automation is durable
 * both come together: run-durably.ts begins the run in its request, and any worker takes it over. One that
 * only waits is given up (waits/parked-run-store.ts), and claimed again when an event or its time has come.
 */

/** How a run ended. */
export interface RunEnd {
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly durationMs: number
  readonly error: FailureBody | { error: string; message: string } | undefined
  readonly isDeadLetter?: boolean
  /** What it answers, as JSON, where somebody may ask for it later. */
  readonly output?: string | undefined
}

/** A try that failed, after which the run is to be begun anew. */
export interface NextTry extends Omit<RunEnd, 'status'> {
  readonly status: 'waiting'
  readonly pauseMs: number
}

/** A run of which nothing can go on before one of its waits is over. */
export interface Parked extends ParkedRun {
  readonly status: 'parked'
}

export const isParked = (end: ClaimedWork['end']): end is Parked => end?.status === 'parked'

/** Where it is told that an event came for runs, whose ids are the payload, or that they are to go on. */
export const WOKEN_RUNS = 'runtime.woken_runs'

/** Keeps the waits of runs, as part of the transactions that keep what else they did. */
export interface WaitWriter {
  /** In the order in which those who fulfil waits lock them. */
  lockRuns(tx: Queries, ids: readonly string[]): Promise<unknown>
  write(tx: Queries, work: readonly ClaimedWork[]): Promise<void>
  /** As part of a larger statement; at least one. */
  insertion(waits: readonly NewWait[]): Sql
}

/** A run that was done in its request, with everything it did. */
export interface FinishedRun extends RunEnd {
  readonly id: string
  readonly workspaceId: string
  readonly automationSlug: string
  readonly trigger: Trigger
  readonly correlationId: string
  readonly startedAt: Date
  readonly subject: RunSubject
  /** Kept where it may be run again. */
  readonly input?: RunInput | undefined
  readonly effects: Effects
}

/** A durable run at its first commit: its request works on it, and any worker may take it over. */
export interface BegunRun extends Omit<QueuedRun, 'priority'> {
  readonly startedAt: Date
  readonly revision: number
  readonly worker: string
  readonly leaseSeconds: number
  readonly effects: Effects
}

/** A worker's attempt at a run: what it writes counts only while no other attempt was begun. */
export interface Claim {
  readonly id: string
  readonly attempt: number
}

/** A run that a worker has claimed. */
export interface ClaimedRun extends Claim {
  /** How often it was begun anew after a failure. */
  readonly try: number
  /** Where it has its place among the runs at work; null where it needs none, or has none yet. */
  readonly slot: string | null
  /** True where it was made from another run. */
  readonly isAgain?: boolean
  /** Of a run that was held for later events already. */
  readonly debounce: string | null
  /** How many workers crashed while they worked on it. */
  readonly crashCount: number
  readonly workspaceId: string
  readonly automationSlug: string
  readonly triggerType: Trigger['type']
  readonly triggerValue: string
  readonly triggerId: string | null
  readonly correlationId: string
  /** Of its workspace, when it began: it keeps the automations of then. Null where that is not known. */
  readonly revision: number | null
  readonly input: RunInput
  /** No event that is committed from now on is in a transaction before this one. */
  readonly horizon: string
  /** Set when it was asked to end, also by an attempt before. */
  readonly cancellation: Cancellation | null
}

/** A run this instance has leased and works on. */
export interface LeasedRun {
  readonly claim: Claim
  readonly workspaceId: string
  /** True while others may want the place it takes. */
  readonly isPlaceWanted?: () => boolean
  /** Known as soon as the run has begun. */
  active: ActiveRun | undefined
  /** Set when it was asked to end. */
  cancellation?: Cancellation
  /** Set when another worker has claimed it. */
  isLost?: boolean
}

/** What a worker must know of a run that it has leased. */
export interface LeaseNews {
  readonly id: string
  /** Of the claim that was asked about: meanwhile the same process may have claimed the run anew. */
  readonly attempt: number
  /** Another worker has claimed it. */
  readonly isLost: boolean
  readonly cancellation: Cancellation | null
}

/** What a claimed run did, and its end once it has one. */
export interface ClaimedWork {
  readonly claim: Claim
  readonly effects: Effects
  readonly end: RunEnd | NextTry | Parked | undefined
  /** True where events may still look for waits of a run that has ended. */
  readonly forgetsWaits?: boolean
}

/** Why a run ends whose claim is lost. No caller sees it: what the run did since is dropped. */
export const leaseLost = () => new Failure('ServiceUnavailable', 'Another instance has taken over the run.')
