import { type Clock, SECOND_MS, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import { Lane, type LaneNeeds } from './lane.ts'
import { Permits } from './permits.ts'
import { type HeldQueue, LEASE_MS, type QueueStore } from './queue-store.ts'

export interface DispatcherNeeds {
  queues: Pick<QueueStore, 'claim' | 'extend' | 'giveBack' | 'turn' | 'release'>
  deliver: LaneNeeds['deliver']
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

/** Sends what is due. Any number of instances share the work by subscription: one holds a queue at a time, the next when its lease is over. */
export class Dispatcher {
  readonly #needs: DispatcherNeeds
  readonly #lanes = new Map<string, Lane>()
  readonly #working = new Set<Promise<void>>()
  readonly #wakeUp = new WakeUp()

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
      { name: 'hold-webhook-queues', everyMs: HEARTBEAT_MS, run: () => this.#hold() },
    ]
  }

  async #dispatch(signal: AbortSignal): Promise<void> {
    const sending = new AbortController()
    const stop = () => this.#wakeUp.ring()
    signal.addEventListener('abort', stop)
    await using _listening = await this.#needs.listen((ids) => this.#hear(ids))
    try {
      while (!signal.aborted) {
        const isMore = await this.#claimSome(sending.signal)
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
    this.#wakeUp.ring()
  }

  /** Answers whether there may be more to take right now. */
  async #claimSome(signal: AbortSignal): Promise<boolean> {
    const { queues, clock } = this.#needs
    const room = Math.min(LARGEST_CLAIM, MOST_LANES - this.#lanes.size)
    if (room <= 0) return false
    const until = leaseEnd()
    const claimed = await queues.claim(clock.now(), room)
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
        this.#working.delete(working)
      })
    this.#working.add(working)
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
    const lanes = [...this.#lanes.values()]
    for (const lane of lanes) lane.end()
    const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([Promise.allSettled(this.#working), late])
    sending.abort()
    await Promise.allSettled(this.#working)
    if (lanes.length === 0) return
    await this.#needs.queues.giveBack(lanes.map(({ held }) => held))
  }
}

/** When a lease that is asked for now is over at the earliest, in the time of this process that nobody sets. */
const leaseEnd = (): number => performance.now() + LEASE_MS
