import { Failure, hashOfText } from '@platform/kernel'
import { ContextReads } from '../contexts/context-reads.ts'
import { measure } from '../contexts/value-size.ts'
import { RunEnded } from './automation-failure.ts'
import {
  arrivalOf,
  type Entry,
  entryOf,
  eventPlacesIn,
  type HeldBack,
  type JournalReading,
  type JournalUse,
  type KeptInput,
  lastEventIn,
  placesOf,
  readsBetweenWaits,
  type Segment,
  type SetBefore,
  seedOf,
  setsOf,
  sizeOf,
  waitsOf,
} from './journal-entries.ts'
import { RunChance } from './run-chance.ts'
import type { Arrival, ArrivalSource } from './turns.ts'
import type { LogPlace } from './wait-inbox.ts'

/** More of what came in, in characters of JSON, no run may keep. */
const MAX_SIZE = 256_000_000

/**
 * What came into a run from outside itself, as it must come in again when another process does the run: and how much
 * of what the run does is done already (ADR 0060).
 */
export class RunJournal implements ArrivalSource {
  readonly reads: ContextReads
  readonly chance: RunChance
  /** Where the events are in the log that waits of the run have ended with; null: another run has taken it before. */
  readonly eventPlaces: Map<string, LogPlace | null>
  readonly #upto: number
  readonly #places: ReadonlyMap<number, number>
  readonly #ignoresPlaces: boolean
  readonly #answers: Arrival[]
  readonly #known: ReadonlySet<number>
  readonly #heldBack: ReadonlySet<string>
  readonly #refused: ReadonlySet<number>
  readonly #waits: Map<number, number>
  readonly #overWaits: number[] = []
  #sinceSegment: number
  readonly #entries: (string | Entry)[] = []
  #room: number | undefined
  #recorded: Segment | undefined
  readonly #reading: JournalReading | undefined
  readonly #isWhole: boolean
  readonly #limit: number
  #copied: Segment | undefined
  #sets: readonly [number, readonly SetBefore[]] | undefined
  #number = 0
  #place = 0
  #cancelledAt: number | undefined
  #atMs = 0
  readonly #try: number
  #segment: number
  #size: number
  #hasNews = false
  #holdsBack: boolean
  #strayed: RunEnded | undefined
  #disturbance: unknown
  /** Told that an answer came in, which is to be committed. */
  onAnswer: (() => void) | undefined
  /** Knows what was changed and is not stored. */
  changes: { listHeldBack(): HeldBack } | undefined

  /** `tries` is how often the run was begun anew after a failure: each try has a journal of its own. */
  constructor(segments: readonly Segment[] = [], tries = 0, use: JournalUse = {}) {
    const { isUnknown = false, reading, recordsAtMost } = use
    this.#try = tries
    this.#hasNews = isUnknown
    this.#reading = reading
    this.#room = recordsAtMost
    const entries = segments.flatMap(({ entries: text }) => JSON.parse(text) as Entry[])
    const last = segments.at(-1)
    this.#upto = last?.upto ?? 0
    this.#segment = reading?.isCopied === true ? 0 : segments.length
    this.#size = sizeOf(segments)
    this.#sets = setsOf(entries)
    this.#ignoresPlaces = reading?.ignoresPlaces === true || entries.some((one) => one[0] === 'other')
    this.#places = this.#ignoresPlaces ? new Map() : placesOf(segments, this.#sets?.[0])
    this.#isWhole = entries.some((one) => one[0] === 'end')
    this.#limit =
      reading === undefined ? Number.POSITIVE_INFINITY : limitOf(reading, this.#isWhole, this.#upto)
    this.#answers = entries.flatMap(arrivalOf)
    this.#cancelledAt = entries.find((one) => one[0] === 'cancelled')?.[1]
    this.#waits = waitsOf(entries)
    this.#sinceSegment = lastEventIn(segments)
    this.eventPlaces = eventPlacesIn(segments)
    this.#known = new Set(this.#answers.map(({ number }) => number))
    const heldBack = entries.findLast((one) => one[0] === 'heldBack')
    this.#heldBack = new Set((heldBack?.[1] ?? []).map((names) => names.join('.')))
    this.#refused = new Set(entries.flatMap((one) => (one[0] === 'refused' ? [one[1]] : [])))
    this.#holdsBack = this.#heldBack.size > 0
    const seed = seedOf(entries)
    const isCopied = reading?.isCopied === true
    if (isCopied || last === undefined) this.#entries.push(['seed', seed])
    const add = (entry: Entry) => {
      this.#endReading()
      this.#add(entry)
    }
    const copy = (entry: Entry) => this.#add(entry)
    const chance = this.#openChance(entries, seed, last)
    this.chance = isCopied ? chance.copied(copy) : chance
    this.reads = new ContextReads(readsBetweenWaits(entries), add, isCopied ? copy : undefined)
  }

  #openChance(entries: readonly Entry[], seed: string, last: Segment | undefined): RunChance {
    // Other automations may look at the clock more often: that says nothing of what they would do.
    const isOther = this.#ignoresPlaces
    const require = (isKnown: boolean) => {
      if (!isKnown) this.#endReading()
      this.#hasNews = true
    }
    return new RunChance({
      seed,
      reads: last?.reads ?? 0,
      entries: entries.filter((one) => one[0] === 'clock'),
      add: (entry) => {
        require(isOther)
        this.#add(entry)
      },
      touch: (what) => require(isOther || (what === 'draw' && last !== undefined)),
    })
  }

  /** Takes the number of the next effect: whatever it does must be gathered in the same synchronous act. */
  count(place: string): number {
    if (this.#strayed !== undefined) throw this.#strayed
    if (this.#number >= this.#limit) this.#endReading()
    this.#number += 1
    this.#place = hashOfText(place, this.#place)
    const expected = this.#places.get(this.#number)
    if (expected !== undefined && expected !== this.#place) throw this.strayed()
    return this.#number
  }

  /** The number that was taken last. */
  get number(): number {
    return this.#number
  }

  /** True for an effect that was committed before the run was taken over. */
  isDone(number: number): boolean {
    return number <= this.#upto || this.#reading !== undefined
  }

  /** True when a change of this number is stored already. */
  isStored(number: number, context: string, key: string): boolean {
    return number <= this.#upto && !this.#heldBack.has(`${context}.${key}`)
  }

  /**
   * Whether there was no room for the change of this number; undefined for a new one. How much room there was before
   * can't be found out again: others have changed what the run never looked at.
   */
  wasRefused(number: number): boolean | undefined {
    if (!this.isDone(number)) return undefined
    const wasRefused = this.#refused.has(number)
    if (wasRefused && this.#reading?.isCopied === true) this.refuse(number)
    return wasRefused
  }

  refuse(number: number): void {
    this.#add(['refused', number])
  }

  /** True until the run has come as far as it was committed, and always while nothing new may come in. */
  get isReplaying(): boolean {
    return this.#reading !== undefined || this.isBehind
  }

  /** True until the run has come as far as it was committed. */
  get isBehind(): boolean {
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
    return this.#reading !== undefined || this.#known.has(number)
  }

  take(): Arrival | undefined {
    const answer = this.#answers.shift()
    this.#atMs = answer?.atMs ?? this.#atMs
    if (answer !== undefined && this.#reading?.isCopied === true) this.#add(this.#entryOf(answer))
    return answer
  }

  idle(): void {
    if (this.#reading?.isCopied === true) this.#copied ??= this.#copy()
    this.#reading?.idle()
  }

  /** When the last of what has come in came, in Unix milliseconds; 0 where that is not known. */
  get atMs(): number {
    return Math.max(this.#atMs, this.chance.lastMs)
  }

  keep({ number, value, failure }: Arrival): void {
    this.#add(this.#entryOf({ number, value, failure, atMs: Date.now() }))
    const isWait = this.#waits.has(number)
    if (isWait) this.#overWaits.push(number)
    if (isWait && failure === undefined && value !== null) this.#sinceSegment = this.#segment
    this.onAnswer?.()
  }

  /** The check from which on the run knows that it is cancelled; undefined while it does not. */
  get cancelledAt(): number | undefined {
    return this.#cancelledAt
  }

  noticeCancelled(check: number): void {
    if (this.#cancelledAt !== undefined) return
    this.#cancelledAt = check
    this.#add(['cancelled', check])
  }

  /** The workspace was suspended behind the effect that was begun last: from there the run is retried. */
  noticeSuspended(): void {
    this.#add(['suspended', this.#number])
  }

  /** When a wait that was begun before ends at the latest, in Unix milliseconds. */
  findWait(number: number): number | undefined {
    return this.#waits.get(number)
  }

  beginWait(number: number, endsAtMs: number): void {
    this.#waits.set(number, endsAtMs)
    this.#add(['wait', number, endsAtMs])
    this.onAnswer?.()
  }

  get hasWaited(): boolean {
    return this.#waits.size > 0
  }

  /** Waits that are over since the last call. */
  takeOverWaits(): number[] {
    return this.#overWaits.splice(0)
  }

  giveBackOverWaits(numbers: readonly number[]): void {
    this.#overWaits.unshift(...numbers)
  }

  /** What a wait that is begun now is of: events since this segment count. */
  get waitOrigin(): { readonly try: number; readonly sinceSegment: number } {
    return { try: this.#try, sinceSegment: this.#sinceSegment }
  }

  /** True when something came in that is not committed: what is sent to the outside may depend on it. */
  get hasNews(): boolean {
    return this.#hasNews
  }

  /** The last cut of a run that has ended: with it there is all that the run can be looked at by. */
  close(kept?: KeptInput): Segment {
    if (kept !== undefined) this.#entries.unshift(['input', kept.input, kept.revision, kept.isDurable])
    if (this.#recorded !== undefined) return { ...this.#recorded, entries: this.#takeEntries() }
    this.#entries.push(['end'])
    return this.cut()
  }

  /** True for the journal of a run that has ended, with all that came in. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** True where a run is only looked at that has ended: what its journal does not have, the run never had. */
  get isComplete(): boolean {
    return this.#isWhole && this.#reading !== undefined && this.#reading.ignoresPlaces !== true
  }

  /** What had come in when the reading of a journal that is copied came to its end. */
  get copied(): Segment | undefined {
    return this.#copied
  }

  /** Answers that came in later to what was asked by then are there as well: nobody is asked again. */
  #copy(): Segment {
    for (const answer of this.#answers)
      if (answer.number <= this.#number && answer.failure === undefined) this.#add(this.#entryOf(answer))
    return this.cut()
  }

  #entryOf(arrival: Arrival): Entry {
    return entryOf(arrival, this.#waits.has(arrival.number), this.eventPlaces)
  }

  #endReading(): void {
    if (this.#reading?.isCopied === true) this.#copied ??= this.#copy()
    this.#reading?.end()
  }

  /** What somebody wants changed where the run stands now; once. */
  takeSets(): readonly SetBefore[] {
    const [at, sets] = this.#sets ?? []
    if (at === undefined || sets === undefined || this.#number < at) return []
    this.#sets = undefined
    return sets
  }

  get hasSets(): boolean {
    return this.#sets !== undefined
  }

  /** How far the run has come, and what came in since the last cut. */
  cut(): Segment {
    const heldBack = this.changes?.listHeldBack() ?? []
    if (heldBack.length > 0 || this.#holdsBack) this.#add(['heldBack', heldBack])
    this.#holdsBack = heldBack.length > 0
    const cut = { ...this.#position(), entries: this.#takeEntries() }
    this.#hasNews = false
    this.#segment += 1
    return cut
  }

  #position(): Omit<Segment, 'entries'> {
    const { reads } = this.chance
    return { try: this.#try, segment: this.#segment, upto: this.#number, reads, place: this.#place }
  }

  #takeEntries(): string {
    const entries = this.#entries.splice(0)
    return `[${entries.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(',')}]`
  }

  /** A cut that was not committed; the next one takes its place. */
  giveBack({ segment, entries }: Segment): void {
    this.#segment = segment
    if (entries !== '[]') this.#entries.unshift(entries.slice(1, -1))
    this.#hasNews = true
  }

  #add(entry: Entry): void {
    this.#hasNews = true
    if (this.#room !== undefined) {
      this.#record(entry, this.#room)
      return
    }
    const text = JSON.stringify(entry)
    this.#entries.push(text)
    this.#size += text.length
  }

  /** Most of what is recorded is never looked at: nothing is written out before it is known that it is kept. */
  #record(entry: Entry, room: number): void {
    if (this.#recorded !== undefined) return
    const { characters, excess } = measure(entry, room)
    if (excess === undefined) {
      this.#entries.push(entry)
      this.#room = room - characters
    } else this.#recorded = { ...this.#position(), entries: '' }
  }
}

/** A journal without its end stops where the last commit was. */
function limitOf({ until }: JournalReading, isWhole: boolean, upto: number): number {
  return Math.min(until ?? Number.POSITIVE_INFINITY, isWhole ? Number.POSITIVE_INFINITY : upto)
}
