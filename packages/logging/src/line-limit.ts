/** How many lines of a kind a second of time may have; what is beyond is counted, so that it can be told. */
export class LineLimit {
  readonly #perSecond: number
  #second = Number.NEGATIVE_INFINITY
  #written = 0
  #dropped = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** True when one more line may be written at `nowMs`. */
  admits(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#written = 0
    }
    this.#written += 1
    if (this.#written <= this.#perSecond) return true
    this.#dropped += 1
    return false
  }

  /** How many were refused since the last time somebody asked. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}
