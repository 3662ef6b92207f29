import type { Admission } from '@platform/permissions'
import type { Reader } from './reader.ts'

/** Somebody reading live, whose permission is looked at again and again. */
export interface Standing {
  readonly reader: Reader
  /** They may not read any more. */
  refuse(): void
}

/** Everybody who reads live in this process. */
export class LiveReaders {
  readonly #standings = new Set<Standing>()
  /** True when the process is leaving and takes no further ones. */
  isClosed = false
  /** Readers that were cut because they took too little. */
  cut = 0

  get count(): number {
    return this.#standings.size
  }

  add(standing: Standing): void {
    this.#standings.add(standing)
  }

  remove(standing: Standing): void {
    this.#standings.delete(standing)
  }

  all(): readonly Standing[] {
    return [...this.#standings]
  }

  /** Another role shows another part of the events. */
  static admit({ reader }: Standing, admission: Admission): void {
    reader.admission = admission
  }
}
