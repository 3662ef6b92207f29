import { Failure } from '@platform/kernel'
import type { Admission } from '@platform/permissions'
import type { Filter } from '@platform/search'
import { looksOf, requireCheapFilter, SHARED_LOOKS_MAX, SharedLooks } from '../event-log/filter-cost.ts'
import type { Reader } from './reader.ts'

/** Somebody reading live, whose permission is looked at again and again. */
export interface Standing {
  readonly reader: Reader
  /** They may not read any more. */
  refuse(): void
}

/** Everybody who reads live in this process. */
export class LiveReaders {
  /** Each with what ends what its filter counts for. */
  readonly #standings = new Map<Standing, () => void>()
  readonly #looks = new SharedLooks()
  /** True when the process is leaving and takes no further ones. */
  isClosed = false
  /** Readers that were cut because they took too little. */
  cut = 0

  get count(): number {
    return this.#standings.size
  }

  add(standing: Standing): void {
    const { filter, admission } = standing.reader
    this.#standings.set(standing, this.#looks.add(admission.workspace.id, looksOf(filter)))
  }

  remove(standing: Standing): void {
    this.#standings.get(standing)?.()
    this.#standings.delete(standing)
  }

  all(): readonly Standing[] {
    return [...this.#standings.keys()]
  }

  /**
   * Throws RequestValidationError for a filter that costs too much, TooManyRequests where it does with those of other
   * readers.
   */
  requireRoom(workspaceId: string, filter: Filter, place: string): void {
    requireCheapFilter(filter, place)
    if (this.#looks.sizeWith(workspaceId, looksOf(filter)) <= SHARED_LOOKS_MAX) return
    throw new Failure(
      'TooManyRequests',
      `Those who read this workspace live look for ${SHARED_LOOKS_MAX} different paths and wildcards already: use fewer, or the same as others.`,
      { retryAfterSeconds: 10 },
    )
  }

  /** From now on they get what another filter says. Throws as `requireRoom`, and nothing has changed. */
  refilter(standing: Standing, filter: Filter, place: string): void {
    this.requireRoom(standing.reader.admission.workspace.id, filter, place)
    this.remove(standing)
    standing.reader.filter = filter
    this.add(standing)
  }

  /** Another role shows another part of the events. */
  static admit({ reader }: Standing, admission: Admission): void {
    reader.admission = admission
  }
}
