import type { HoldersFound, Presence } from '@platform/database'
import { type Clock, SECOND_MS, StoreError, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import pLimit from 'p-limit'
import { LEASE_MS, type LeasedQueue, type QueueStore } from './queue-store.ts'
import { SubscriptionWorker, type WorkerNeeds } from './subscription-worker.ts'

export interface DispatcherNeeds {
  queues: Pick<QueueStore, 'claim' | 'extend' | 'giveBack' | 'nextBatch' | 'release'>
  deliver: WorkerNeeds['deliver']
  /** Calls `onLost` when others may take the queues that this process leases, because it lost its connection. */
  presence: Pick<Presence, 'onLost'>
  /** Finds which processes with leases have died. */
  lookForHolders: () => Promise<Pick<HoldersFound, 'gone'>>
  /** Calls `onNews` with the subscriptions that have something new to send, none when they are not known. */
  listen: (onNews: (subscriptionIds: string[]) => void) => Promise<AsyncDisposable>
  clock: Clock
  log: Logger
}

/** Nothing wakes for retries that come due: one look at an index. */
const LOOK_MS = SECOND_MS
/** Leases of queues are extended this often. */
export const HEARTBEAT_MS = 5 * SECOND_MS
const LARGEST_CLAIM = 64
const MOST_WORKERS = 1000
/** Statements of all workers at once. */
const MOST_STATEMENTS = 3
/** What is under way gets to end when the service stops; the rest is sent again elsewhere. */
const DRAIN_MS = 5 * SECOND_MS

/**
 * Sends what is due. Any number of instances share the work by subscription: one leases a queue at a time, the next
 * when that lease is over.
 */
export class Dispatcher {
  readonly #needs: DispatcherNeeds
  readonly #workers = new Map<string, SubscriptionWorker>()
  readonly #working = new Set<Promise<void>>()
  readonly #wakeUp = new WakeUp()

  #gone: readonly number[] = []
  #lookAt = 0
  /** Others may have taken what is leased here. */
  #isDoubtful = false
  #isAway = false
  /** Leased, and no worker is at it any more. */
  #abandoned: LeasedQueue[] = []

  /** Workers wait here, not for a connection of the pool, which others need as well. */
  readonly #statements = pLimit(MOST_STATEMENTS)
  readonly #queues: WorkerNeeds['queues'] = {
    nextBatch: (...asked) => this.#statements(() => this.#needs.queues.nextBatch(...asked)),
    release: (...asked) => this.#statements(() => this.#needs.queues.release(...asked)),
  }

  constructor(needs: DispatcherNeeds) {
    this.#needs = needs
  }

  get jobs(): Job[] {
    return [
      { name: 'dispatch-webhooks', everyMs: 100, run: (signal) => this.#dispatch(signal) },
      { name: 'hold-webhook-queues', everyMs: HEARTBEAT_MS, run: () => this.#keepLeases() },
    ]
  }

  async #dispatch(signal: AbortSignal): Promise<void> {
    const sending = new AbortController()
    const stop = () => this.#wakeUp.wake()
    signal.addEventListener('abort', stop)
    using _lost = this.#needs.presence.onLost(() => this.#doubt())
    await using _listening = await this.#needs.listen((ids) => this.#notify(ids))
    try {
      while (!signal.aborted) {
        const isMore = await this.#roundUnlessAway(sending.signal)
        if (!isMore && !signal.aborted) await this.#wakeUp.wait(LOOK_MS)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      await this.#drain(sending)
    }
  }

  #notify(ids: readonly string[]): void {
    for (const id of ids) this.#workers.get(id)?.wake()
    if (ids.length === 0) for (const worker of this.#workers.values()) worker.wake()
    this.#wakeUp.wake()
  }

  /** A store that is away is waited for, as workers do: a queue that is leased here has no other worker. */
  async #roundUnlessAway(signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#isDoubtful) await this.#makeSure()
      await this.#lookForHolders()
      const isMore = await this.#claimSome(signal)
      this.#isAway = false
      return isMore
    } catch (error) {
      if (!(error instanceof StoreError && error.unavailable)) throw error
      if (!this.#isAway) this.#needs.log.warn({ err: error }, 'webhooks wait for the database')
      this.#isAway = true
      return false
    }
  }

  #doubt(): void {
    this.#isDoubtful = true
    this.#wakeUp.wake()
  }

  /** Until the store says what is still leased, nothing is begun that it was not asked for anew. */
  async #makeSure(): Promise<void> {
    for (const worker of this.#workers.values()) worker.wake()
    await this.#extendLeases()
    this.#isDoubtful = false
  }

  async #lookForHolders(): Promise<void> {
    if (performance.now() < this.#lookAt) return
    this.#lookAt = performance.now() + LOOK_MS
    this.#gone = []
    const { gone } = await this.#needs.lookForHolders()
    this.#gone = gone
  }

  /** Answers whether there may be more to take right now. */
  async #claimSome(signal: AbortSignal): Promise<boolean> {
    const { queues, clock } = this.#needs
    const room = Math.min(LARGEST_CLAIM, MOST_WORKERS - this.#workers.size)
    if (room <= 0) return false
    const until = leaseEnd()
    const claimed = await queues.claim(clock.now(), room, this.#gone)
    for (const queue of claimed) this.#begin(queue, until, signal)
    return claimed.length === room
  }

  #begin(queue: LeasedQueue, until: number, signal: AbortSignal): void {
    const { deliver, clock, log } = this.#needs
    // A process that stood still for longer than a lease may take what it is still working on.
    this.#workers.get(queue.subscriptionId)?.end()
    const worker = new SubscriptionWorker(queue, until, {
      queues: this.#queues,
      deliver,
      now: () => clock.now(),
      log,
    })
    this.#workers.set(queue.subscriptionId, worker)
    const working = worker
      .work(signal)
      .catch((error: unknown) =>
        log.warn({ err: error, subscriptionId: queue.subscriptionId }, 'sending stopped'),
      )
      .finally(() => {
        if (this.#workers.get(queue.subscriptionId) === worker) this.#workers.delete(queue.subscriptionId)
        if (!worker.isReleased) this.#abandoned.push(queue)
        this.#working.delete(working)
      })
    this.#working.add(working)
  }

  /**
   * What a worker abandoned is given back with the next heartbeat, not at once: it may have ended of what it would
   * meet again.
   */
  async #keepLeases(): Promise<void> {
    await this.#extendLeases()
    await this.#giveBack()
  }

  async #giveBack(): Promise<void> {
    const abandoned = this.#abandoned
    if (abandoned.length === 0) return
    await this.#needs.queues.giveBack(abandoned)
    this.#abandoned = this.#abandoned.filter((queue) => !abandoned.includes(queue))
  }

  async #extendLeases(): Promise<void> {
    const workers = [...this.#workers.values()]
    if (workers.length === 0) return
    const until = leaseEnd()
    const extended = await this.#needs.queues.extend(workers.map((worker) => worker.queue))
    const tokens = new Map(extended.map(({ subscriptionId, token }) => [subscriptionId, token]))
    for (const worker of workers)
      if (tokens.get(worker.queue.subscriptionId) === worker.queue.token) worker.extendLease(until)
      else worker.end()
  }

  async #drain(sending: AbortController): Promise<void> {
    for (const worker of this.#workers.values()) worker.end()
    const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([Promise.allSettled(this.#working), late])
    sending.abort()
    await Promise.allSettled(this.#working)
    await this.#giveBack()
  }
}

/** When a lease that is asked for now is over at the earliest, by the clock of this process that nothing sets. */
const leaseEnd = (): number => performance.now() + LEASE_MS
