/**
 * Things that are there for a short while, found by a key. Not a Map alone: its outgrown tables stay in old memory
 * until the next full collection, with everything that was in them when they were outgrown (see `SlotList`). Here that
 * is a box, which is empty by then.
 */
export class ShortLivedMap<K extends string | number, T extends object> {
  readonly #boxes = new Map<K, Box<T>>()

  get size(): number {
    return this.#boxes.size
  }

  get(key: K): T | undefined {
    return this.#boxes.get(key)?.thing
  }

  set(key: K, thing: T): void {
    this.delete(key)
    this.#boxes.set(key, { thing })
  }

  /** True when there was one. */
  delete(key: K): boolean {
    const box = this.#boxes.get(key)
    if (box === undefined) return false
    box.thing = undefined
    return this.#boxes.delete(key)
  }

  keys(): Iterable<K> {
    return this.#boxes.keys()
  }

  /** In the order they came; one that is deleted meanwhile is left out. */
  *values(): Generator<T> {
    for (const { thing } of this.#boxes.values()) if (thing !== undefined) yield thing
  }
}

interface Box<T> {
  thing: T | undefined
}
