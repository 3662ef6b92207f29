import type { LogCursor } from './event-log.ts'

/**
 * Keeps how far a group has come while the group goes on: at most one batch further, which a takeover handles again
 * as it would the one in hand.
 */
export class CursorKeeper {
  readonly #store: (cursor: LogCursor) => Promise<void>
  #storing: Promise<void> = Promise.resolve()

  constructor(store: (cursor: LogCursor) => Promise<void>) {
    this.#store = store
  }

  /** Resolves once the cursor before this one is kept; rejects when it could not be. */
  async keep(cursor: LogCursor): Promise<void> {
    await this.#storing
    this.#storing = this.#store(cursor)
    // It is awaited by whoever is next.
    this.#storing.catch(() => undefined)
  }

  /** Resolves when nothing is on its way any more. */
  async done(): Promise<void> {
    await this.#storing.catch(() => undefined)
  }
}
