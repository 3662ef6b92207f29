import { setTimeout } from 'node:timers/promises'

const PER_SECOND = 20
const SECONDS = 20
/** Code that was never run before is compiled first. */
const WARM_UP = 100

/** Emits at a calm, even pace and measures from each call's beginning to what `heard` reports of it by its number. */
export class CalmLoad {
  readonly #sentAt: number[] = []
  readonly #tookMs = new Map<number, number>()

  /** Tells that the event with this number has arrived; what arrives again doesn't count. */
  heard(number: number): void {
    const sentAt = this.#sentAt[number]
    if (sentAt !== undefined && !this.#tookMs.has(number))
      this.#tookMs.set(number, performance.now() - sentAt)
  }

  async run(emit: (number: number) => Promise<void>): Promise<{ p50Ms: number; p99Ms: number }> {
    const total = WARM_UP + PER_SECOND * SECONDS
    for (let number = 0; number < total; number += 1) {
      this.#sentAt.push(performance.now())
      await emit(number)
      await setTimeout(1000 / PER_SECOND)
    }
    for (let waited = 0; this.#tookMs.size < total && waited < 100; waited += 1) await setTimeout(100)
    if (this.#tookMs.size < total)
      throw new Error(`${total - this.#tookMs.size} of ${total} events never arrived.`)
    const sorted = [...this.#tookMs]
      .filter(([number]) => number >= WARM_UP)
      .map(([, ms]) => ms)
      .sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    return { p50Ms: at(0.5), p99Ms: at(0.99) }
  }
}
