import type { EventRecord } from '@platform/contracts'
import { MINUTE_MS } from '@platform/kernel'
import type { RunSubject, Trigger } from './run-input.ts'
import { isBehind, type LogPlace } from './wait-inbox.ts'

/** An event behind which a wait looks for others. */
export interface LastEvent {
  readonly id: string
  /** Unknown of the event that began the run, and of what the version before has taken: the log knows it. */
  readonly place?: LogPlace | undefined
}

/** Who has waited in vain for so long looks back no further than that. */
export const LOOK_BACK_MS = 15 * MINUTE_MS

/**
 * What steps that follow one another have waited for: each wait looks behind the event that came last, so that each
 * event of a burst ends one of them. Branches begin where their strand is, and may each take the same event.
 */
export class Strand {
  readonly #first: LastEvent | undefined
  #last: LastEvent | undefined
  #vainMs: number
  readonly #placesOf: () => EventPlaces | undefined

  constructor(last?: LastEvent, placesOf: () => EventPlaces | undefined = () => undefined, vainMs = 0) {
    this.#first = last
    this.#last = last
    this.#vainMs = vainMs
    this.#placesOf = placesOf
  }

  /** Undefined where waits count from the beginning of the run. */
  get last(): LastEvent | undefined {
    return this.#last
  }

  /** What came while it waited for others counts as well; but where that goes on, nobody reads all of it again. */
  get looksFarBack(): boolean {
    return this.#vainMs < LOOK_BACK_MS
  }

  /** A wait has ended with this event, or without one when this time was over. */
  hear(event: Pick<EventRecord, 'id'> | undefined, timeoutMs: number): void {
    if (event === undefined) this.#vainMs += timeoutMs
    else {
      const place = this.#placesOf()?.get(event.id)
      // What another run has taken, of which this one was made, is of a time before it began.
      this.#last = place === null ? undefined : { id: event.id, place }
      this.#vainMs = 0
    }
  }

  branch(): Strand {
    return new Strand(this.#last, this.#placesOf, this.#vainMs)
  }

  /** A branch has ended: what it took is behind this strand as well. */
  join(branch: Strand): void {
    const [mine, its] = [this.#last, branch.#last]
    if (its === mine) this.#vainMs = Math.max(this.#vainMs, branch.#vainMs)
    else if (its !== undefined && its !== branch.#first && isLater(its, mine)) {
      this.#last = its
      this.#vainMs = branch.#vainMs
    }
  }
}

/** Of events that waits of a run have ended with; null where that was before it was made from another. */
type EventPlaces = ReadonlyMap<string, LogPlace | null>

/** The first wait counts from the event that began the run; not where a run is made again: that begins now. */
export function strandOf(
  { trigger: { type, id }, subject }: { readonly trigger: Trigger; readonly subject: RunSubject },
  placesOf: () => EventPlaces | undefined,
): Strand {
  const isBegunByEvent = type === 'event' && id !== undefined && subject.isAgain !== true
  return new Strand(isBegunByEvent ? { id } : undefined, placesOf)
}

const isLater = ({ place }: LastEvent, other: LastEvent | undefined): boolean =>
  place === undefined || other?.place === undefined || isBehind(place, other.place)

/** Does work beside others: its waits follow one another, and what they took is behind those that come after it. */
export async function inStrand<F extends { readonly strand: Strand }>(
  frame: F,
  work: (own: F) => Promise<void>,
): Promise<void> {
  const strand = frame.strand.branch()
  try {
    await work({ ...frame, strand })
  } finally {
    frame.strand.join(strand)
  }
}
