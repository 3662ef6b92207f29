import { setImmediate as nextTurn } from 'node:timers/promises'

/** Work that may be long lets others have their turn after this. */
const PIECE_MS = 15

/** Cuts long work into pieces: who does it asks between its steps whether to rest. */
export class TimeSlice {
  #since = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#since >= PIECE_MS
  }

  /** Lets everything happen that waits. */
  async yield(): Promise<void> {
    await nextTurn()
    this.#since = performance.now()
  }
}
