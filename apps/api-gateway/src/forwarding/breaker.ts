/** Requests in a row that lose their connection before an instance counts as broken. */
const LOST_MAX = 5

/**
 * Whether requests may be sent to one instance. It opens when no connection can be made, or when connections are lost
 * again and again; then it lets one request at a time through, and closes with the first answer to one, or to a
 * probe.
 */
export class Breaker {
  #isOpen = false
  #lost = 0
  #isTrying = false
  /** How often it has opened. */
  opened = 0

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** True when a request may be sent now. Asked only of an open one, it is that one request. */
  admits(): boolean {
    if (!this.#isOpen) return true
    if (this.#isTrying) return false
    this.#isTrying = true
    return true
  }

  /** Something answered. */
  succeeded(): void {
    this.#isOpen = false
    this.#isTrying = false
    this.#lost = 0
  }

  /** The trial ended without saying anything about the instance: its client left. */
  abandoned(): void {
    this.#isTrying = false
  }

  /** No connection could be made: nothing can be sent there. */
  unreachable(): void {
    if (!this.#isOpen) this.opened += 1
    this.#isOpen = true
    this.#isTrying = false
  }

  /** A connection ended before the answer. Once says nothing: the instance may just have closed an idle connection. */
  lost(): void {
    this.#lost += 1
    this.#isTrying = false
    if (this.#lost >= LOST_MAX) this.unreachable()
  }

  /** True while nothing has gone wrong, so that a good answer needs no word. */
  get isCalm(): boolean {
    return !this.#isOpen && this.#lost === 0
  }
}
