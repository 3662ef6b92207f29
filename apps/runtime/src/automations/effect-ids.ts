import { derivedUuidv7, uuidv7 } from '@platform/kernel'

/**
 * Names what a run does, by its place in the automation and how often the run came there: a run that is done again
 * gives the same effect the same id (docs/adr/0060).
 */
export class EffectIds {
  readonly #runId: string
  /** Without a journal nothing is done again, and ids are random. */
  readonly #isJournaled: boolean
  readonly #counts = new Map<string, number>()

  constructor(runId: string, isJournaled: boolean) {
    this.#runId = runId
    this.#isJournaled = isJournaled
  }

  /** How often this was asked for `place`, beginning with 1; 0 in runs that are never done again. */
  countOf(place: string): number {
    if (!this.#isJournaled) return 0
    const count = (this.#counts.get(place) ?? 0) + 1
    this.#counts.set(place, count)
    return count
  }

  idOf(place: string, count: number): string {
    return this.#isJournaled ? derivedUuidv7(this.#runId, this.#runId, place, count) : uuidv7()
  }

  /** The id of the effect that is begun now. */
  next(place: string): string {
    return this.idOf(place, this.countOf(place))
  }
}
