/**
 * How many streams each tenant reads at once, and all together: one more is refused, since those that are open may be
 * so for minutes.
 */
export class StreamPlaces {
  readonly #open = new Map<string, number>()
  readonly #each: number
  readonly #all: number
  #taken = 0

  constructor({ each, all }: { each: number; all: number }) {
    this.#each = each
    this.#all = all
  }

  /** Undefined where there is none; else gives the place back. */
  take(key: string): (() => void) | undefined {
    const open = this.#open.get(key) ?? 0
    if (open >= this.#each || this.#taken >= this.#all) return undefined
    this.#open.set(key, open + 1)
    this.#taken += 1
    return () => {
      const left = (this.#open.get(key) ?? 1) - 1
      this.#taken -= 1
      if (left === 0) this.#open.delete(key)
      else this.#open.set(key, left)
    }
  }

  get taken(): number {
    return this.#taken
  }
}
