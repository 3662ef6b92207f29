import { randomUUID } from 'node:crypto'
import { Failure } from '@platform/kernel'
import { ContextReads, type ReadEntry } from '../contexts/context-reads.ts'
import type { StoredContext } from '../contexts/contexts.ts'
import { RunCancelled, RunEnded } from './automation-failure.ts'
import { type ClockEntry, RunChance } from './run-chance.ts'
import type { Arrival, ArrivalSource } from './turns.ts'

/** One commit of a run under way: what came in since the one before, and how far the run had come. */
export interface Segment {
  /** How often the run was begun anew after a failure. */
  readonly try: number
  readonly segment: number
  /** The highest number of an effect that is done with this commit. */
  readonly upto: number
  /** How often the clock was read. */
  readonly reads: number
  /** Hash of the places of all effects so far. */
  readonly place: number
  /** JSON of a list of entries. */
  readonly entries: string
}

/** Contexts that were changed, but not stored, because one of them has grown too large. */
export type HeldBack = readonly (readonly [StoredContext, string])[]

type Entry =
  | readonly ['seed', string]
  | readonly ['answer', number, unknown]
  /** The number of who asked, and was told that the run is cancelled. */
  | readonly ['aborted', number]
  /** Which check of a run found that it is cancelled. */
  | readonly ['cancelled', number]
  | readonly ['heldBack', HeldBack]
  | ClockEntry
  | ReadEntry

/** More of what came in, in characters of JSON, no run may keep. */
const MAX_SIZE = 256_000_000

/**
 * What came into a run from outside itself, as it must come in again when another process does the run: and how much
 * of what the run does is done already (ADR 0060).
 */
export class RunJournal implements ArrivalSource {
  readonly reads: ContextReads
  readonly chance: RunChance
  readonly #upto: number
  readonly #places: ReadonlyMap<number, number>
  readonly #answers: Arrival[]
  readonly #known: ReadonlySet<number>
  readonly #heldBack: ReadonlySet<string>
  readonly #entries: string[] = []
  #number = 0
  #place = 0
  #cancelledAt: number | undefined
  readonly #try: number
  #segment: number
  #size: number
  #hasNews = false
  #holdsBack: boolean
  #strayed: RunEnded | undefined
  #disturbance: unknown
  /** Told that an answer came in, which is to be committed. */
  onAnswer: () => void = () => undefined
  listHeldBack: () => HeldBack = () => []

  /**
   * `tries` is how often the run was begun anew after a failure: each try has a journal of its own. That a run is going
   * on is news where nothing is stored of it.
   */
  constructor(segments: readonly Segment[] = [], tries = 0, isUnknown = false) {
    this.#try = tries
    this.#hasNews = isUnknown
    const entries = segments.flatMap(({ entries: text }) => JSON.parse(text) as Entry[])
    const last = segments.at(-1)
    this.#upto = last?.upto ?? 0
    this.#segment = (last?.segment ?? -1) + 1
    this.#size = segments.reduce((size, one) => size + one.entries.length, 0)
    this.#places = new Map(segments.map(({ upto, place }) => [upto, place]))
    this.#answers = entries.flatMap(arrivalOf)
    this.#cancelledAt = entries.find((one) => one[0] === 'cancelled')?.[1]
    this.#known = new Set(this.#answers.map(({ number }) => number))
    const heldBack = entries.findLast((one) => one[0] === 'heldBack')
    this.#heldBack = new Set((heldBack?.[1] ?? []).map((names) => names.join('.')))
    this.#holdsBack = this.#heldBack.size > 0
    const seed = entries.find((one) => one[0] === 'seed')?.[1] ?? randomUUID()
    if (last === undefined) this.#entries.push(JSON.stringify(['seed', seed]))
    const add = (entry: Entry) => this.#add(JSON.stringify(entry))
    const touch = () => {
      this.#hasNews = true
    }
    this.chance = new RunChance({
      seed,
      reads: last?.reads ?? 0,
      entries: entries.filter((one) => one[0] === 'clock'),
      add,
      touch,
    })
    this.reads = new ContextReads(
      entries.filter((one) => one[0] === 'key' || one[0] === 'whole' || one[0] === 'role'),
      add,
    )
  }

  /** Takes the number of the next effect: whatever it does must be gathered in the same synchronous act. */
  count(place: string): number {
    if (this.#strayed !== undefined) throw this.#strayed
    this.#number += 1
    this.#place = hashOf(place, this.#place)
    const expected = this.#places.get(this.#number)
    if (expected !== undefined && expected !== this.#place) throw this.strayed()
    return this.#number
  }

  /** True for an effect that was committed before the run was taken over. */
  isDone(number: number): boolean {
    return number <= this.#upto
  }

  /** True when a change of this number is stored already. */
  isStored(number: number, context: string, key: string): boolean {
    return this.isDone(number) && !this.#heldBack.has(`${context}.${key}`)
  }

  /** True until the run has come as far as it was committed. */
  get isReplaying(): boolean {
    return this.#strayed === undefined && (this.#number < this.#upto || this.#answers.length > 0)
  }

  /** True when the run is not the one whose journal this is: nothing it does counts. */
  get hasStrayed(): boolean {
    return this.#strayed !== undefined
  }

  /** Something of ours ended a part of the run: that it comes to another place from then on is no wonder. */
  disturb(reason: unknown): void {
    this.#disturbance ??= reason
  }

  strayed(): unknown {
    if (this.#disturbance !== undefined) return this.#disturbance
    this.#strayed ??= new RunEnded(
      new Failure(
        'RunEnded',
        'The run was taken over by another process and came to another place than before: was the automation ' +
          'changed meanwhile? Look at what it has done, and run it again.',
      ),
    )
    return this.#strayed
  }

  /** Throws once the run has taken in more than may be kept of it. */
  requireRoom(): void {
    if (this.#size <= MAX_SIZE) return
    const message = `More than ${MAX_SIZE} characters came in to this run: start others for parts of the work.`
    throw new Failure('PayloadTooLarge', message, { details: { max: MAX_SIZE } })
  }

  isKnown(number: number): boolean {
    return this.#known.has(number)
  }

  take(): Arrival | undefined {
    return this.#answers.shift()
  }

  keep({ number, value, failure }: Arrival): void {
    this.#add(JSON.stringify(failure === undefined ? ['answer', number, value ?? null] : ['aborted', number]))
    this.onAnswer()
  }

  /** The check from which on the run knows that it is cancelled; undefined while it does not. */
  get cancelledAt(): number | undefined {
    return this.#cancelledAt
  }

  noticeCancelled(check: number): void {
    if (this.#cancelledAt !== undefined) return
    this.#cancelledAt = check
    this.#add(JSON.stringify(['cancelled', check]))
  }

  /** True when something came in that is not committed: what is sent to the outside may depend on it. */
  get hasNews(): boolean {
    return this.#hasNews
  }

  /** How far the run has come, and what came in since the last cut. */
  cut(): Segment {
    const heldBack = this.listHeldBack()
    if (heldBack.length > 0 || this.#holdsBack) this.#add(JSON.stringify(['heldBack', heldBack]))
    this.#holdsBack = heldBack.length > 0
    const entries = `[${this.#entries.splice(0).join(',')}]`
    this.#hasNews = false
    const segment = this.#segment
    this.#segment += 1
    return {
      try: this.#try,
      segment,
      upto: this.#number,
      reads: this.chance.reads,
      place: this.#place,
      entries,
    }
  }

  /** A cut that was not committed; the next one takes its place. */
  giveBack({ segment, entries }: Segment): void {
    this.#segment = segment
    if (entries !== '[]') this.#entries.unshift(entries.slice(1, -1))
    this.#hasNews = true
  }

  #add(entry: string): void {
    this.#entries.push(entry)
    this.#size += entry.length
    this.#hasNews = true
  }
}

function arrivalOf(entry: Entry): Arrival[] {
  if (entry[0] === 'answer') return [{ number: entry[1], value: entry[2] }]
  return entry[0] === 'aborted' ? [{ number: entry[1], failure: { reason: wasCancelled() } }] : []
}

const wasCancelled = () => new RunCancelled(new Failure('RunEnded', 'The run was cancelled.'))

/** FNV-1a over 32 bits, as a number that a column of type int holds. */
function hashOf(text: string, before: number): number {
  let hash = before ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
