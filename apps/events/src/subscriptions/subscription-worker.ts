import { StoreError, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { HeldQueue, QueueStore, Turn, WaitingDelivery } from './queue-store.ts'

/** While some are under way, retries of others come due. */
const LOOK_MS = 1000
/** Sent or being sent, and not kept yet. */
const MOST_IN_FLIGHT = 64

export interface LaneNeeds {
  queues: Pick<QueueStore, 'turn' | 'release'>
  /**
   * Sends one, calls `sent` when the endpoint has answered, keeps how it went and answers whether it arrived; never
   * rejects for what an endpoint does.
   */
  deliver: (
    held: HeldQueue,
    turn: Turn,
    delivery: WaitingDelivery,
    signal: AbortSignal,
    sent: () => void,
  ) => Promise<boolean>
  now: () => Date
  log: Logger
}

/**
 * Works on the deliveries of one subscription for as long as this process holds its queue. Nothing here waits for
 * another one.
 */
export class Lane {
  readonly held: HeldQueue
  readonly #needs: LaneNeeds
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #wakeUp = new WakeUp()
  /** Requests under way; what only has to be kept takes no room at the endpoint. */
  #sending = 0
  #isEnding = false
  #isReleased = false
  /** What was taken from the queue last, and is not begun yet. */
  #turn: Turn | undefined
  #rings = 0
  #until: number

  /** `until` is when the lease ends, as `performance.now()` counts. */
  constructor(held: HeldQueue, until: number, needs: LaneNeeds) {
    this.held = held
    this.#until = until
    this.#needs = needs
  }

  /** True when the queue was let go in order; else it is still leased, unless somebody else has it. */
  get isReleased(): boolean {
    return this.#isReleased
  }

  /** The lease was made longer. */
  hold(until: number): void {
    this.#until = until
  }

  /** Something new is due, or the subscription was changed: what is not begun yet is asked for again. */
  ring(): void {
    this.#rings += 1
    this.#turn = undefined
    this.#wakeUp.wake()
  }

  /** Nothing new is begun any more. */
  end(): void {
    this.#isEnding = true
    this.ring()
  }

  /** Resolves when nothing is due, when the queue is lost, or after `end` when nothing is under way. */
  async work(signal: AbortSignal): Promise<void> {
    try {
      while (!this.#isEnding && !(await this.#patientStep(signal)));
    } finally {
      await Promise.allSettled(this.#inFlight.values())
    }
  }

  /** A store that is away is waited for: whether the queue is still held shows in the next turn. */
  async #patientStep(signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#step(signal)
    } catch (error) {
      if (!(error instanceof StoreError && error.unavailable)) throw error
      this.#turn = undefined
      await this.#wakeUp.wait(LOOK_MS)
      return false
    }
  }

  /** Answers whether the work is over. */
  async #step(signal: AbortSignal): Promise<boolean> {
    const turn = await this.#nextTurn()
    if (turn === undefined) return true
    this.#beginSome(turn, signal)
    if (this.#inFlight.size === 0) return await this.#release(turn)
    // Where there is no room the next end tells; else retries may come due meanwhile.
    const isFull = !this.#hasRoom(turn)
    await this.#wakeUp.wait(isFull ? undefined : LOOK_MS)
    return false
  }

  /** What is left of the last turn, or the next one; undefined when the queue is somebody else's. */
  async #nextTurn(): Promise<Turn | undefined> {
    const { queues, now } = this.#needs
    const isSpent = this.#turn?.deliveries.length === 0 && !(this.#turn.isLast && this.#inFlight.size === 0)
    if (this.#turn !== undefined && !isSpent) return this.#turn
    const rings = this.#rings
    const turn = await queues.turn(this.held, [...this.#inFlight.keys()], now())
    this.#turn = rings === this.#rings ? turn : undefined
    return turn
  }

  async #release(turn: Turn): Promise<boolean> {
    this.#turn = undefined
    this.#isReleased = await this.#needs.queues.release(this.held, turn.news)
    return this.#isReleased
  }

  #hasRoom(turn: Turn): boolean {
    return this.#sending < turn.atOnce && this.#inFlight.size < MOST_IN_FLIGHT
  }

  #beginSome(turn: Turn, signal: AbortSignal): void {
    // Who could not hold on to the queue, because the store is away or the process stood still, leaves it to the next
    // holder.
    if (performance.now() >= this.#until) this.end()
    while (!this.#isEnding && this.#hasRoom(turn)) {
      const delivery = turn.deliveries.shift()
      if (delivery === undefined) return
      this.#begin(turn, delivery, signal)
    }
  }

  #begin(turn: Turn, delivery: WaitingDelivery, signal: AbortSignal): void {
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
    const delivering = deliver(this.held, turn, delivery, signal, sent)
      .then((arrived) => {
        // Of an endpoint that fails less is asked at once.
        if (!arrived) this.#turn = undefined
      })
      .catch((error: unknown) => {
        // What is not kept is sent again when the lease is over, by whoever holds the queue then.
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
