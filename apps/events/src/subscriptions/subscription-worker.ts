import { StoreError, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Batch, LeasedQueue, QueueStore, WaitingDelivery } from './queue-store.ts'

/** While some are under way, retries of others come due. */
const LOOK_MS = 1000
/** Sent or being sent, and not recorded yet. */
const MOST_IN_FLIGHT = 64

export interface WorkerNeeds {
  queues: Pick<QueueStore, 'nextBatch' | 'release'>
  /**
   * Sends one, calls `sent` when the endpoint has answered, records how it went and answers whether it arrived; never
   * rejects for what an endpoint does.
   */
  deliver: (
    queue: LeasedQueue,
    batch: Batch,
    delivery: WaitingDelivery,
    signal: AbortSignal,
    sent: () => void,
  ) => Promise<boolean>
  now: () => Date
  log: Logger
}

/**
 * Works on the deliveries of one subscription for as long as this process has the lease of its queue. Nothing here
 * waits for another subscription.
 */
export class SubscriptionWorker {
  readonly queue: LeasedQueue
  readonly #needs: WorkerNeeds
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #wakeUp = new WakeUp()
  /** Requests under way; what only has to be recorded takes no room at the endpoint. */
  #sending = 0
  #isEnding = false
  #isReleased = false
  /** What was taken from the queue last, and is not begun yet. */
  #batch: Batch | undefined
  #wakes = 0
  #leasedUntil: number

  /** `leasedUntil` is when the lease ends, as `performance.now()` counts. */
  constructor(queue: LeasedQueue, leasedUntil: number, needs: WorkerNeeds) {
    this.queue = queue
    this.#leasedUntil = leasedUntil
    this.#needs = needs
  }

  /** True when the queue was released in order; else it is still leased, unless another process has it. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  extendLease(until: number): void {
    this.#leasedUntil = until
  }

  /** Something new is due, or the subscription was changed: what is not begun yet is asked for again. */
  wake(): void {
    this.#wakes += 1
    this.#batch = undefined
    this.#wakeUp.wake()
  }

  /** Nothing new is begun any more. */
  end(): void {
    this.#isEnding = true
    this.wake()
  }

  /** Resolves when nothing is due, when the queue is lost, or after `end` when nothing is under way. */
  async work(signal: AbortSignal): Promise<void> {
    try {
      while (!this.#isEnding && !(await this.#stepUnlessAway(signal)));
    } finally {
      await Promise.allSettled(this.#inFlight.values())
    }
  }

  /** A store that is away is waited for: whether the queue is still leased shows in the next batch. */
  async #stepUnlessAway(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#step(signal)
    } catch (error) {
      if (!(error instanceof StoreError && error.unavailable)) throw error
      this.#batch = undefined
      await this.#wakeUp.wait(LOOK_MS)
      return false
    }
  }

  /** Answers whether the work is over. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const batch = await this.#nextBatch()
    if (batch === undefined) return true
    this.#beginSome(batch, signal)
    if (this.#inFlight.size === 0) return await this.#release(batch)
    // Where there is no room the next end wakes; else retries may come due meanwhile.
    const isFull = !this.#hasRoom(batch)
    await this.#wakeUp.wait(isFull ? undefined : LOOK_MS)
    return false
  }

  /** What is left of the last batch, or the next one; undefined when another process has the queue. */
  async #nextBatch(): Promise<Batch | undefined> {
    const { queues, now } = this.#needs
    const isSpent = this.#batch?.deliveries.length === 0 && !(this.#batch.isLast && this.#inFlight.size === 0)
    if (this.#batch !== undefined && !isSpent) return this.#batch
    const wakes = this.#wakes
    const batch = await queues.nextBatch(this.queue, [...this.#inFlight.keys()], now())
    this.#batch = wakes === this.#wakes ? batch : undefined
    return batch
  }

  async #release(batch: Batch): Promise<boolean> {
    this.#batch = undefined
    this.#isReleased = await this.#needs.queues.release(this.queue, batch.news)
    return this.#isReleased
  }

  #hasRoom(batch: Batch): boolean {
    return this.#sending < batch.atOnce && this.#inFlight.size < MOST_IN_FLIGHT
  }

  #beginSome(batch: Batch, signal: AbortSignal): void {
    // A lease that could not be extended, because the store is away or the process stood still, is left to the next
    // process.
    if (performance.now() >= this.#leasedUntil) this.end()
    while (!this.#isEnding && this.#hasRoom(batch)) {
      const delivery = batch.deliveries.shift()
      if (delivery === undefined) return
      this.#begin(batch, delivery, signal)
    }
  }

  #begin(batch: Batch, delivery: WaitingDelivery, signal: AbortSignal): void {
    const { deliver, log } = this.#needs
    const { deliveryId } = delivery
    let isSending = true
    const sent = () => {
      if (!isSending) return
      isSending = false
      this.#sending -= 1
      this.#wakeUp.wake()
    }
    this.#sending += 1
    const delivering = deliver(this.queue, batch, delivery, signal, sent)
      .then((arrived) => {
        // An endpoint that fails is asked for fewer at once.
        if (!arrived) this.#batch = undefined
      })
      .catch((error: unknown) => {
        // What is not recorded is sent again when the lease is over, by the process that has it then.
        this.#isEnding = true
        if (!signal.aborted) log.warn({ err: error, deliveryId }, 'a delivery ended without being kept')
      })
      .finally(() => {
        this.#inFlight.delete(deliveryId)
        sent()
        this.#wakeUp.wake()
      })
    this.#inFlight.set(deliveryId, delivering)
  }
}
