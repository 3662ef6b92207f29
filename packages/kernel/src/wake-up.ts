/** Ends the waits of those who look for work when there may be some. A wake while nobody waits is not lost. */
export class WakeUp {
  #count = 0
  /** The last wake that `wait` has answered for. */
  #seen = 0
  readonly #waiting = new Set<() => void>()

  wake(): void {
    this.#count += 1
    for (const end of [...this.#waiting]) end()
  }

  /** How often it was woken. Taken before a look for work and given to `waitSince` after it, no wake is lost. */
  get count(): number {
    return this.#count
  }

  /** For a single waiter: waits for a wake since its last wait, at most `ms` where that is given. */
  async wait(ms?: number): Promise<void> {
    await this.waitSince(this.#seen, ms)
    this.#seen = this.#count
  }

  /**
   * For several waiters, each with a count of its own: waits until there are more wakes than `seen`, at most `ms` and
   * until the signal aborts, where these are given.
   */
  waitSince(seen: number, ms?: number, signal?: AbortSignal): Promise<void> {
    if (this.#count !== seen || signal?.aborted === true) return Promise.resolve()
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = ms === undefined ? undefined : setTimeout(end, ms)
      this.#waiting.add(end)
      signal?.addEventListener('abort', end, { once: true })
    })
  }
}
