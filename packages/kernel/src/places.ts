/**
 * Things that are there for a short while, each in a numbered place. Not a Set: one that is added to and deleted from all day leaves a
 * chain of outgrown tables in old memory that keeps everything it ever held alive until the next full collection.
 */
export class Places<T extends object> implements Iterable<T> {
  readonly #places: (T | undefined)[] = []
  readonly #free: number[] = []

  /** Answers the place, to be given to `remove` exactly once. */
  add(thing: T): number {
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = thing
    return place
  }

  remove(place: number): void {
    this.#places[place] = undefined
    this.#free.push(place)
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const thing of this.#places) if (thing !== undefined) yield thing
  }
}
