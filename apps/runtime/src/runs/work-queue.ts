import { setTimeout as pause } from 'node:timers/promises'
import type { HoldersFound } from '@platform/database'
import { ShortLivedMap, SlotList, StoreError, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import { type ClaimedRun, type LeasedRun, type LeaseNews, leaseLost } from './run.ts'
import { RunPlaces } from './run-places.ts'
import type { RunStore } from './run-store.ts'

export interface WorkQueueOptions {
  readonly runs: Pick<
    RunStore,
    'claimQueued' | 'claimOne' | 'claimWoken' | 'claimAbandoned' | 'extendLeases' | 'listNews' | 'release'
  >
  readonly work: (run: ClaimedRun, leased: LeasedRun, signal: AbortSignal) => Promise<void>
  /** The name others know this worker by; it changes when its presence becomes visible or is lost. */
  readonly worker: () => string
  /** Finds the workers that have crashed. */
  readonly lookForHolders: () => Promise<HoldersFound>
  /** Calls with the id of each run that is to end, wherever it is leased, and when runs are to go on that waited. */
  readonly listen: (onCancelled: (id: string) => void, onWoken: () => void) => Promise<AsyncDisposable>
  readonly concurrency: number
  readonly leaseSeconds: number
  /** How often it looks for runs that nobody announced. Default 500. */
  readonly pollMs?: number
  /** How often a run that could not end is offered back to a store that is away. Default 1,000. */
  readonly giveBackMs?: number
  /** How long at most nothing new is claimed while it is held back. Default 3,000. */
  readonly holdBackMs?: number
  readonly log: Logger
}

const POLL_MS = 500
const GIVE_BACK_MS = 1000
const HOLD_BACK_MS = 3000
/** So long after a claim that left nothing, a place that gets free is no reason to look for more. */
const EMPTY_MS = 50
const LONGEST_HEARTBEAT_MS = 3000
const HEARTBEATS_PER_LEASE = 3
const LARGEST_CLAIM = 32
/** Time that runs get to end when the service stops; what is left is given back and done again elsewhere. */
const DRAIN_MS = 5000

/** How often leases are extended: so often that two extensions may fail before a short lease is over. */
export const heartbeatMsOf = (leaseSeconds: number): number =>
  Math.min(LONGEST_HEARTBEAT_MS, (leaseSeconds * 1000) / HEARTBEATS_PER_LEASE)

/**
 * Claims queued runs, works on them, and extends their leases until they end. Any number of instances share the queue.
 */
export class WorkQueue {
  readonly #options: Required<WorkQueueOptions>
  readonly #leased = new ShortLivedMap<string, LeasedRun>()
  readonly #wakeUp = new WakeUp()
  readonly #working = new SlotList<Promise<void>>()
  /** Runs that requests work on: they take no place here. */
  readonly #held = new ShortLivedMap<string, LeasedRun>()
  readonly #letGo = new WakeUp()
  readonly #places: RunPlaces
  #lookAt = 0
  /** Whose runs are to be taken over, while there may be some. */
  #abandoned: { readonly gone: readonly number[]; readonly expired: boolean } | undefined
  /** Aborts when the service stops; none before work has begun. */
  #stopping: AbortSignal | undefined
  /** The workspace whose runs were claimed last: the next claim begins with the one after it. */
  #servedLast = ''
  #wokenLast = ''
  /** True when there may be runs that waited and are to go on. */
  #mayBeWoken = true
  #heldBackUntil = 0
  /** Until then (`performance.now()`) the queue counts as empty: the last claim has left nothing. */
  #emptyUntil = 0

  constructor(options: WorkQueueOptions) {
    this.#options = { pollMs: POLL_MS, giveBackMs: GIVE_BACK_MS, holdBackMs: HOLD_BACK_MS, ...options }
    this.#places = new RunPlaces(options.concurrency)
  }

  /** Runs were queued: the worker looks at once. */
  wake(): void {
    this.#wakeUp.wake()
  }

  /** Claims no queued run until the answer is called, but not for long; what has begun goes on. */
  holdBack(): () => void {
    const until = performance.now() + this.#options.holdBackMs
    this.#heldBackUntil = until
    return () => {
      if (this.#heldBackUntil !== until) return
      this.#heldBackUntil = 0
      this.#wakeUp.wake()
    }
  }

  /** Keeps the lease of a run that a request works on, until the answer is called; and tells it when it is to end. */
  hold(leased: LeasedRun): () => void {
    const { id } = leased.claim
    this.#held.set(id, leased)
    return () => {
      if (this.#held.get(id) === leased) this.#held.delete(id)
      this.#letGo.wake()
    }
  }

  /**
   * Works on a queued run that another run waits for, unless somebody does already; resolves when it has ended or is
   * given up here. It takes no place: runs that wait for one another would keep each other out.
   */
  async workNow(runId: string): Promise<void> {
    const signal = this.#stopping
    if (signal === undefined || signal.aborted) return
    const { runs, worker, leaseSeconds } = this.#options
    const [run] = await runs.claimOne(worker(), leaseSeconds, runId)
    if (run !== undefined) await this.#begin(run, signal)
  }

  /** Runs that waited are to go on. */
  readonly wakeForWoken = (): void => {
    this.#mayBeWoken = true
    this.#wakeUp.wake()
  }

  /** No run is at work. */
  get isIdle(): boolean {
    return this.#working.size === 0
  }

  get jobs(): Job[] {
    return [
      {
        name: 'work-on-queued-runs',
        everyMs: this.#options.pollMs,
        run: (signal) => this.#workUntil(signal),
      },
      {
        name: 'hold-claimed-runs',
        everyMs: heartbeatMsOf(this.#options.leaseSeconds),
        run: () => this.#extendLeases(),
      },
    ]
  }

  async #workUntil(signal: AbortSignal): Promise<void> {
    this.#stopping = signal
    const stop = () => this.#wakeUp.wake()
    signal.addEventListener('abort', stop)
    await using _listening = await this.#options.listen((id) => this.#lookAfter(id), this.wakeForWoken)
    try {
      while (!signal.aborted) {
        await this.#lookForAbandoned()
        await this.#claimAbandoned(signal)
        if (this.#mayBeWoken) await this.#claimWoken(signal)
        const isMore = await this.#claimSome(signal)
        if (!isMore && !signal.aborted) await this.#wakeUp.wait(this.#options.pollMs)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) await this.#drain()
    }
  }

  /** Runs that have begun go before those that have not. */
  async #claimWoken(signal: AbortSignal): Promise<void> {
    const { room, greedy } = this.#count()
    if (room <= 0) return
    this.#mayBeWoken = false
    const { runs, worker, leaseSeconds } = this.#options
    const claimed = await runs.claimWoken(worker(), leaseSeconds, room, greedy, this.#wokenLast)
    for (const run of claimed) void this.#begin(run, signal)
    this.#wokenLast = claimed.at(-1)?.workspaceId ?? ''
    // There may be more: also of those that were left out.
    this.#mayBeWoken ||= claimed.length > 0 || greedy.length > 0
  }

  /** Answers whether there may be more to claim right now. */
  async #claimSome(signal: AbortSignal): Promise<boolean> {
    const { room, greedy } = this.#count()
    this.#emptyUntil = 0
    if (room <= 0 || performance.now() < this.#heldBackUntil) return false
    const { runs, worker, leaseSeconds } = this.#options
    const askedAt = performance.now()
    const claimed = await runs.claimQueued(worker(), leaseSeconds, room, greedy, this.#servedLast)
    if (claimed.length < room && greedy.length === 0) this.#emptyUntil = askedAt + EMPTY_MS
    for (const run of claimed) void this.#begin(run, signal)
    const last = claimed.at(-1)?.workspaceId
    if (last === undefined) return false
    this.#servedLast = last
    // A share that one workspace did not use may be of use to another that was served before it.
    const isShared = claimed.some(({ workspaceId }) => workspaceId !== last)
    return (isShared || claimed.length === room) && this.#count().room > 0
  }

  /** Also while there is no room: a worker counts as crashed only after several looks. */
  async #lookForAbandoned(): Promise<void> {
    if (performance.now() < this.#lookAt) return
    this.#lookAt = performance.now() + this.#options.pollMs
    // Also what no notice told of.
    this.#mayBeWoken = true
    const { gone, isSettled: expired } = await this.#options.lookForHolders()
    this.#abandoned = expired || gone.length > 0 ? { gone, expired } : undefined
  }

  /** Each place that gets free is theirs first: they have begun, and there may always be more that have not. */
  async #claimAbandoned(signal: AbortSignal): Promise<void> {
    const { room } = this.#count()
    if (room <= 0 || this.#abandoned === undefined) return
    const { runs, worker, leaseSeconds } = this.#options
    const claimed = await runs.claimAbandoned(worker(), leaseSeconds, room, this.#abandoned)
    for (const run of claimed) void this.#begin(run, signal)
    if (claimed.length < room) this.#abandoned = undefined
  }

  /** How many runs one claim may bring, and whose runs it leaves. */
  #count(): { readonly room: number; readonly greedy: readonly string[] } {
    const { free, greedy } = this.#places.count(this.#leased.values())
    return { room: Math.min(LARGEST_CLAIM, free), greedy }
  }

  /** No more runs of the workspace would be begun now. */
  #isFullFor(workspaceId: string): boolean {
    const { room, greedy } = this.#count()
    return room <= 0 || greedy.includes(workspaceId)
  }

  /** There may be a run for a place that gets free. */
  #isPlaceWanted(): boolean {
    return this.#mayBeWoken || this.#abandoned !== undefined || performance.now() >= this.#emptyUntil
  }

  #begin(run: ClaimedRun, signal: AbortSignal): Promise<void> {
    const { id, attempt, workspaceId } = run
    const isPlaceWanted = () => this.#isFullFor(workspaceId)
    const leased: LeasedRun = { claim: { id, attempt }, workspaceId, isPlaceWanted, active: undefined }
    // A process that stood still for longer than a lease may claim what it is still working on.
    this.#leased.get(run.id)?.active?.end(leaseLost())
    this.#leased.set(run.id, leased)
    const working = this.#options
      .work(run, leased, signal)
      .catch((error: unknown) => this.#giveBack(leased, error, signal))
      .finally(() => {
        if (this.#leased.get(run.id) === leased) this.#leased.delete(run.id)
        this.#working.remove(place)
        this.#places.ended(workspaceId)
        if (this.#isPlaceWanted()) this.#wakeUp.wake()
      })
    const place = this.#working.add(working)
    return working
  }

  /**
   * A run that could not end because a store was away stays leased until it can be given back: its worker has not
   * crashed. A run that could not end because of a bug is left to the end of its lease and counts as a crash, so that
   * it is not tried for ever.
   */
  async #giveBack(leased: LeasedRun, cause: unknown, signal: AbortSignal): Promise<void> {
    const { runs, log, giveBackMs } = this.#options
    const { id } = leased.claim
    log[isAway(cause) ? 'warn' : 'error']({ err: cause, runId: id }, 'run not finished')
    let obstacle = cause
    while (isAway(obstacle) && leased.isLost !== true) {
      await pause(giveBackMs, undefined, { signal }).catch(() => undefined)
      obstacle = await runs.release([leased.claim]).then(
        () => undefined,
        (error: unknown) => error,
      )
      if (signal.aborted) return
    }
    if (obstacle !== cause && obstacle !== undefined)
      log.error({ err: obstacle, runId: id }, 'a run was not given back, its lease must run out')
  }

  #all(): LeasedRun[] {
    return [...this.#leased.values(), ...this.#held.values()]
  }

  #find(id: string): LeasedRun | undefined {
    return this.#leased.get(id) ?? this.#held.get(id)
  }

  async #extendLeases(): Promise<void> {
    const claims = this.#all().map(({ claim }) => claim)
    if (claims.length === 0) return
    const { runs, worker, leaseSeconds } = this.#options
    this.#heed(await runs.extendLeases(worker(), claims, leaseSeconds))
  }

  /** Where a run that is to end is leased here, its row says why. Extending the leases makes up for a lost notice. */
  #lookAfter(id: string): void {
    const leased = this.#find(id)
    if (leased === undefined) return
    const { runs, log } = this.#options
    runs.listNews([leased.claim]).then(
      (news) => this.#heed(news),
      (err: unknown) => log.warn({ err, runId: id }, 'a run that is to end could not be looked at'),
    )
  }

  #heed(news: readonly LeaseNews[]): void {
    for (const { id, attempt, isLost, cancellation } of news) {
      const leased = this.#all().find(({ claim }) => claim.id === id && claim.attempt === attempt)
      if (leased === undefined) continue
      if (isLost) {
        leased.isLost = true
        leased.active?.end(leaseLost())
      } else if (cancellation !== null) {
        leased.cancellation = cancellation
        leased.active?.cancel(cancellation)
      }
    }
  }

  async #untilEnded(): Promise<void> {
    await Promise.allSettled(this.#working)
    while (this.#held.size > 0) await this.#letGo.wait(this.#options.pollMs)
  }

  async #drain(): Promise<void> {
    for (const { active } of this.#leased.values()) active?.drain()
    const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([this.#untilEnded(), late])
    const left = this.#all()
    for (const { active } of left) active?.end(leaseLost())
    if (left.length > 0) await this.#options.runs.release(left.map(({ claim }) => claim))
  }
}

const isAway = (error: unknown): boolean => error instanceof StoreError && error.unavailable
