import { Failure } from '@platform/kernel'
import type { Admission } from '@platform/permissions'
import type { Filter } from '@platform/search'
import { looksOf, requireCheapFilter, SHARED_LOOKS_MAX, SharedLooks } from '../event-log/filter-cost.ts'
import type { Reader } from './reader.ts'

/** A reader at work, whose permission is looked at again and again. */
export interface LiveSession {
  readonly reader: Reader
  /** They may not read any more. */
  refuse(): void
}

/** All live readers of this process. */
export class LiveReaders {
  /** Each with what ends what its filter counts for. */
  readonly #sessions = new Map<LiveSession, () => void>()
  readonly #looks = new SharedLooks()
  /** True when the process is leaving and takes no further ones. */
  isClosed = false
  /** Readers that were cut because they took too little. */
  cut = 0

  get count(): number {
    return this.#sessions.size
  }

  add(session: LiveSession): void {
    const { filter, admission } = session.reader
    this.#sessions.set(session, this.#looks.add(admission.workspace.id, looksOf(filter)))
  }

  remove(session: LiveSession): void {
    this.#sessions.get(session)?.()
    this.#sessions.delete(session)
  }

  all(): readonly LiveSession[] {
    return [...this.#sessions.keys()]
  }

  /**
   * Throws RequestValidationError for a filter that costs too much, TooManyRequests where it does with those of other
   * readers.
   */
  requireRoom(workspaceId: string, filter: Filter, parameter: string): void {
    requireCheapFilter(filter, parameter)
    if (this.#looks.sizeWith(workspaceId, looksOf(filter)) <= SHARED_LOOKS_MAX) return
    throw new Failure(
      'TooManyRequests',
      `Those who read this workspace live look for ${SHARED_LOOKS_MAX} different paths and wildcards ` +
        'already: use fewer, or the same as others.',
      { retryAfterSeconds: 10 },
    )
  }

  /** From now on they get what another filter says. Throws as `requireRoom`, and nothing has changed. */
  refilter(session: LiveSession, filter: Filter, parameter: string): void {
    this.requireRoom(session.reader.admission.workspace.id, filter, parameter)
    this.remove(session)
    session.reader.filter = filter
    this.add(session)
  }

  /** Another role shows another part of the events. */
  static admit({ reader }: LiveSession, admission: Admission): void {
    reader.admission = admission
  }
}
