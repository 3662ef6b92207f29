import type { HoldersFound, Presence } from '@platform/database'
import { type Clock, SECOND_MS, StoreError, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import { Permits } from './permits.ts'
import { type HeldQueue, LEASE_MS, type QueueStore } from './queue-store.ts'
import { Lane, type LaneNeeds } from './subscription-worker.ts'

export interface DispatcherNeeds {
  queues: Pick<QueueStore, 'claim' | 'extend' | 'giveBack' | 'turn' | 'release'>
  deliver: LaneNeeds['deliver']
  /** Calls `onLost` when others may take the queues that this process holds, because it lost its connection. */
  presence: Pick<Presence, 'onLost'>
  /** Tells which holders of queues have died. */
  lookForHolders: () => Promise<Pick<HoldersFound, 'gone'>>
  /** Calls `onNews` with the subscriptions that have something new to send, none when they are not known. */
  listen: (onNews: (subscriptionIds: string[]) => void) => Promise<AsyncDisposable>
  clock: Clock
  log: Logger
}

/** Retries come due without anybody telling: one look at an index. */
const LOOK_MS = SECOND_MS
const HEARTBEAT_MS = 5 * SECOND_MS
const LARGEST_CLAIM = 64
const MOST_LANES = 1000
/** Statements of all lanes at once. */
const QUESTIONS = 3
/** What is under way gets to end when the service stops; the rest is sent again elsewhere. */
const DRAIN_MS = 5 * SECOND_MS

/**
 * Sends what is due. Any number of instances share the work by subscription: one holds a queue at a time, the next
 * when its lease is over.
 */
export class Dispatcher {
  readonly #needs: DispatcherNeeds
  readonly #lanes = new Map<string, Lane>()
  readonly #working = new Set<Promise<void>>()
  readonly #wakeUp = new WakeUp()

  #gone: readonly number[] = []
  #lookAt = 0
  /** Others may have taken what is held here. */
  #isDoubtful = false
  #isAway = false
  /** Held, and nobody works on it any more. */
  #left: HeldQueue[] = []

  /** Lanes wait here, not for a connection of the pool, which others need as well. */
  readonly #questions = new Permits(QUESTIONS)
  readonly #queues: LaneNeeds['queues'] = {
    turn: (...asked) => this.#questions.with(() => this.#needs.queues.turn(...asked)),
    release: (...asked) => this.#questions.with(() => this.#needs.queues.release(...asked)),
  }

  constructor(needs: DispatcherNeeds) {
    this.#needs = needs
  }

  get jobs(): Job[] {
    return [
      { name: 'dispatch-webhooks', everyMs: 100, run: (signal) => this.#dispatch(signal) },
      { name: 'hold-webhook-queues', everyMs: HEARTBEAT_MS, run: () => this.#holdOn() },
    ]
  }

  async #dispatch(signal: AbortSignal): Promise<void> {
    const sending = new AbortController()
    const stop = () => this.#wakeUp.wake()
    signal.addEventListener('abort', stop)
    using _lost = this.#needs.presence.onLost(() => this.#doubt())
    await using _listening = await this.#needs.listen((ids) => this.#hear(ids))
    try {
      while (!signal.aborted) {
        const isMore = await this.#patientRound(sending.signal)
        if (!isMore && !signal.aborted) await this.#wakeUp.wait(LOOK_MS)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      await this.#drain(sending)
    }
  }

  #hear(ids: readonly string[]): void {
    for (const id of ids) this.#lanes.get(id)?.ring()
    if (ids.length === 0) for (const lane of this.#lanes.values()) lane.ring()
    this.#wakeUp.wake()
  }

  /** A store that is away is waited for, as lanes do: what is held stays held, and nobody would work on it else. */
  async #patientRound(signal: AbortSignal): Promise<boolean> {
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

  /** Until the store says what is still held, nothing is begun that it was not asked for anew. */
  async #makeSure(): Promise<void> {
    for (const lane of this.#lanes.values()) lane.ring()
    await this.#hold()
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
    const room = Math.min(LARGEST_CLAIM, MOST_LANES - this.#lanes.size)
    if (room <= 0) return false
    const until = leaseEnd()
    const claimed = await queues.claim(clock.now(), room, this.#gone)
    for (const held of claimed) this.#begin(held, until, signal)
    return claimed.length === room
  }

  #begin(held: HeldQueue, until: number, signal: AbortSignal): void {
    const { deliver, clock, log } = this.#needs
    // A process that stood still for longer than a lease may take what it is still working on.
    this.#lanes.get(held.subscriptionId)?.end()
    const lane = new Lane(held, until, { queues: this.#queues, deliver, now: () => clock.now(), log })
    this.#lanes.set(held.subscriptionId, lane)
    const working = lane
      .work(signal)
      .catch((error: unknown) =>
        log.warn({ err: error, subscriptionId: held.subscriptionId }, 'sending stopped'),
      )
      .finally(() => {
        if (this.#lanes.get(held.subscriptionId) === lane) this.#lanes.delete(held.subscriptionId)
        if (!lane.isReleased) this.#left.push(held)
        this.#working.delete(working)
      })
    this.#working.add(working)
  }

  /**
   * What a lane left is given back with the next heartbeat, not at once: it may have ended of what it would meet
   * again.
   */
  async #holdOn(): Promise<void> {
    await this.#hold()
    await this.#giveBack()
  }

  async #giveBack(): Promise<void> {
    const left = this.#left
    if (left.length === 0) return
    await this.#needs.queues.giveBack(left)
    this.#left = this.#left.filter((held) => !left.includes(held))
  }

  async #hold(): Promise<void> {
    const lanes = [...this.#lanes.values()]
    if (lanes.length === 0) return
    const until = leaseEnd()
    const held = await this.#needs.queues.extend(lanes.map((lane) => lane.held))
    const tokens = new Map(held.map(({ subscriptionId, token }) => [subscriptionId, token]))
    for (const lane of lanes)
      if (tokens.get(lane.held.subscriptionId) === lane.held.token) lane.hold(until)
      else lane.end()
  }

  async #drain(sending: AbortController): Promise<void> {
    for (const lane of this.#lanes.values()) lane.end()
    const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([Promise.allSettled(this.#working), late])
    sending.abort()
    await Promise.allSettled(this.#working)
    await this.#giveBack()
  }
}

/** When a lease that is asked for now is over at the earliest, in the time of this process that nobody sets. */
const leaseEnd = (): number => performance.now() + LEASE_MS
