/** A request that waits for the first byte of its answer. */
export interface Waiting {
  /** When it was sent, or when the last piece of its body was; Unix milliseconds. */
  readonly waitingSince: number
  readonly timeoutMs: number
  /** Its place among those that wait; -1 while it does not. Only `WaitingRequests` changes it. */
  place: number
  /** Nothing came in time. */
  expire(): void
  /** The instance can't be reached any more. */
  disconnect(): void
}

/**
 * Requests that wait. They stand in numbered places and not in a Set: one that is added to and deleted from all day leaves a chain of
 * outgrown tables in old memory that keeps every request alive until the next full collection, which then takes a quarter of the time.
 */
export class WaitingRequests implements Iterable<Waiting> {
  readonly #places: (Waiting | undefined)[] = []
  readonly #free: number[] = []

  add(request: Waiting): void {
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = request
    request.place = place
  }

  /** Does nothing for one that does not wait. */
  delete(request: Waiting): void {
    const { place } = request
    if (place < 0) return
    this.#places[place] = undefined
    this.#free.push(place)
    request.place = -1
  }

  *[Symbol.iterator](): Iterator<Waiting> {
    for (const request of this.#places) if (request !== undefined) yield request
  }
}
