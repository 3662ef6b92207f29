/**
 * Things that are there for a short while, each in a numbered place. Not a Set: one that is added to and deleted from
 * all day leaves a chain of outgrown tables in old memory that keeps everything it ever held alive until the next
 * full collection.
 */
export class SlotList<T extends object> implements Iterable<T> {
  /** The last place is never empty: after a rush the list is as short again as what is left of it. */
  readonly #places: (T | undefined)[] = []
  /** Empty places, and some that are there no more. */
  readonly #free: number[] = []

  /** Answers the place, to be given to `remove` exactly once. */
  add(thing: T): number {
    const place = this.#emptyPlace()
    this.#places[place] = thing
    return place
  }

  remove(place: number): void {
    const places = this.#places
    places[place] = undefined
    this.#free.push(place)
    while (places.length > 0 && places[places.length - 1] === undefined) places.pop()
    if (places.length === 0) this.#free.length = 0
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const thing of this.#places) if (thing !== undefined) yield thing
  }

  /** How many places there are, taken or empty. */
  get size(): number {
    return this.#places.length
  }

  #emptyPlace(): number {
    for (let place = this.#free.pop(); place !== undefined; place = this.#free.pop())
      if (place < this.#places.length) return place
    return this.#places.length
  }
}
