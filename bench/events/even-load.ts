import { setTimeout } from 'node:timers/promises'

/** How many events are emitted, and how fast. */
export interface Pace {
  readonly perSecond: number
  readonly seconds: number
  /** One call brings so many. */
  readonly atOnce: number
  /** Code that was never run before is compiled first. */
  readonly warmUpSeconds: number
}

const CALM: Pace = { perSecond: 20, seconds: 20, atOnce: 1, warmUpSeconds: 5 }
const PATIENCE_MS = 30_000

/** Emits at an even pace and measures from each call's beginning to what `heard` reports of an event by its number. */
export class EvenLoad {
  readonly #pace: Pace
  readonly #sentAt: number[] = []
  readonly #tookMs = new Map<number, number>()

  constructor(pace: Pace = CALM) {
    this.#pace = pace
  }

  /** Tells that the event with this number has arrived; what arrives again doesn't count. */
  heard(number: number): void {
    const sentAt = this.#sentAt[number]
    if (sentAt !== undefined && !this.#tookMs.has(number))
      this.#tookMs.set(number, performance.now() - sentAt)
  }

  async run(
    emit: (...numbered: { n: number }[]) => Promise<void>,
  ): Promise<{ p50Ms: number; p99Ms: number }> {
    const { perSecond, seconds, atOnce, warmUpSeconds } = this.#pace
    const total = perSecond * (warmUpSeconds + seconds)
    const beganAt = performance.now()
    const calls: Promise<void>[] = []
    for (let from = 0; from < total; from += atOnce) {
      await setTimeout(Math.max(0, beganAt + (from / perSecond) * 1000 - performance.now()))
      const numbered = Array.from({ length: atOnce }, (_, index) => ({ n: from + index }))
      for (const { n } of numbered) this.#sentAt[n] = performance.now()
      calls.push(emit(...numbered))
    }
    await Promise.all(calls)
    const endsAt = performance.now() + PATIENCE_MS
    while (this.#tookMs.size < total && performance.now() < endsAt) await setTimeout(100)
    if (this.#tookMs.size < total)
      throw new Error(`${total - this.#tookMs.size} of ${total} events never arrived.`)
    const sorted = [...this.#tookMs]
      .filter(([number]) => number >= perSecond * warmUpSeconds)
      .map(([, ms]) => ms)
      .sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return { p50Ms: at(0.5), p99Ms: at(0.99) }
  }
}
