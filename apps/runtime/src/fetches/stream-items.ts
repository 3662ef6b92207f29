/** What `repeat` and events get of a stream for one piece of it. */
export interface StreamItem {
  readonly chunk: unknown
}

/** Makes items of the bytes of an answer as they come in. */
export interface StreamItems {
  /** Answers false for a piece that is longer than one may be: nothing can be read behind it. */
  feed(bytes: Uint8Array): boolean
  /** What came last counts although nothing ends it. */
  end(): boolean
  readonly isEmpty: boolean
  /** The next items, so many at most. */
  take(most: number): StreamItem[]
}
