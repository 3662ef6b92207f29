/** Of a hundred requests, ten may be sent twice: retries must never be what keeps a service down. */
const SHARE = 0.1
/** What may be spent at once, for example when an instance with many requests under way disappears. */
const MAX = 100

/** Retries one service may be asked for: a tenth of its requests (reliability §6). */
export class RetryBudget {
  #left = MAX
  /** Requests that were sent again, and those that would have been. */
  spent = 0
  refused = 0

  /** A request was sent for the first time. */
  earn(): void {
    if (this.#left < MAX) this.#left += SHARE
  }

  /** True when a request may be sent again. */
  spend(): boolean {
    if (this.#left < 1) {
      this.refused += 1
      return false
    }
    this.#left -= 1
    this.spent += 1
    return true
  }
}
