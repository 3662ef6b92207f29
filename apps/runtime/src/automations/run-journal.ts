import { randomUUID } from 'node:crypto'
import { Failure } from '@platform/kernel'
import { ContextReads, type ReadEntry } from '../contexts/context-reads.ts'
import type { StoredContext } from '../contexts/contexts.ts'
import { measure } from '../contexts/value-size.ts'
import { RunCancelled, RunEnded } from './automation-failure.ts'
import type { RunInput } from './model.ts'
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
  /** The number of who asked, what came in, and when, in Unix milliseconds. */
  | readonly ['answer', number, unknown, (number | undefined)?]
  /** A wait was begun, which ends at this Unix time at the latest. */
  | readonly ['wait', number, number]
  /** It ended with this event, or without one, and when. */
  | readonly ['woke', number, unknown, (number | undefined)?]
  /** The number of who asked, and was told that the run is cancelled. */
  | readonly ['aborted', number, (number | undefined)?]
  /** Which check of a run found that it is cancelled. */
  | readonly ['cancelled', number]
  | readonly ['input', RunInput, number, boolean]
  /** Behind the effect of this number somebody has changed variables: the run is a fork. */
  | readonly ['set', number, readonly SetBefore[]]
  /** The run has ended: everything that came in is there. */
  | readonly ['end']
  | readonly ['heldBack', HeldBack]
  | ClockEntry
  | ReadEntry

/** A variable that a fork begins with. */
export interface SetBefore {
  readonly path: string
  readonly value: unknown
}

/** What a journal is for. */
export interface JournalUse {
  /** That a run is going on is news where nothing is stored of it. Default false. */
  readonly isUnknown?: boolean | undefined
  /** It is only read. */
  readonly reading?: JournalReading | undefined
  /** It is kept in memory until the run has ended, in so many characters at most: it ends before what is too much. */
  readonly recordsAtMost?: number | undefined
}

/** What a run that nobody stored before its end was called with, and in which revision of its workspace. */
export interface KeptInput {
  readonly input: RunInput
  readonly revision: number
  /** True where another process could have taken it over. */
  readonly isDurable: boolean
}

/** How a journal is read that nothing comes into any more. */
export interface JournalReading {
  /** The last effect that is begun; without it, the last that the journal has. */
  readonly until?: number | undefined
  /** The run would go on behind the last effect, or needs what the journal does not have. Throws. */
  readonly end: () => never
  /** The same, where no strand can go on without an answer. */
  readonly idle: () => void
  /** True where what has come in by the end is wanted, as the journal of another run that has done the same so far. */
  readonly isCopied?: boolean
  /** True where other automations than then are tried with what came in. */
  readonly ignoresPlaces?: boolean
}

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
  readonly #waits: Map<number, number>
  #overWaits: number[] = []
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
  onAnswer: () => void = () => undefined
  listHeldBack: () => HeldBack = () => []

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
    this.#places = reading?.ignoresPlaces === true ? new Map() : placesOf(segments, this.#sets?.[0])
    this.#isWhole = entries.some((one) => one[0] === 'end')
    this.#limit =
      reading === undefined ? Number.POSITIVE_INFINITY : limitOf(reading, this.#isWhole, this.#upto)
    this.#answers = entries.flatMap(arrivalOf)
    this.#cancelledAt = entries.find((one) => one[0] === 'cancelled')?.[1]
    this.#waits = waitsOf(entries)
    this.#sinceSegment = lastEventIn(segments)
    this.#known = new Set(this.#answers.map(({ number }) => number))
    const heldBack = entries.findLast((one) => one[0] === 'heldBack')
    this.#heldBack = new Set((heldBack?.[1] ?? []).map((names) => names.join('.')))
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
    const isOther = this.#reading?.ignoresPlaces === true
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
    this.#place = hashOf(place, this.#place)
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
    this.onAnswer()
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

  /** When a wait that was begun before ends at the latest, in Unix milliseconds. */
  findWait(number: number): number | undefined {
    return this.#waits.get(number)
  }

  beginWait(number: number, endsAtMs: number): void {
    this.#waits.set(number, endsAtMs)
    this.#add(['wait', number, endsAtMs])
    this.onAnswer()
  }

  get hasWaited(): boolean {
    return this.#waits.size > 0
  }

  /** Waits that are over since the last call. */
  takeOverWaits(): number[] {
    const over = this.#overWaits
    this.#overWaits = []
    return over
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

  #entryOf({ number, value, failure, atMs }: Arrival): Entry {
    if (failure !== undefined) return ['aborted', number, atMs]
    return [this.#waits.has(number) ? 'woke' : 'answer', number, value ?? null, atMs]
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
    const heldBack = this.listHeldBack()
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

const seedOf = (entries: readonly Entry[]): string =>
  entries.find((one) => one[0] === 'seed')?.[1] ?? randomUUID()

const sizeOf = (segments: readonly Segment[]): number =>
  segments.reduce((size, one) => size + one.entries.length, 0)

function setsOf(entries: readonly Entry[]): readonly [number, readonly SetBefore[]] | undefined {
  const sets = entries.find((one) => one[0] === 'set')
  return sets === undefined ? undefined : [sets[1], sets[2]]
}

/** Where the run must be at each of its commits; the one before which something was set is marked. */
const placesOf = (segments: readonly Segment[], marked: number | undefined): Map<number, number> =>
  new Map(segments.map(({ upto, place }) => [upto, upto === marked ? place ^ 1 : place]))

/**
 * The beginning of the journal of a fork. The version before knows nothing of what is set: the hash of the place is
 * another for it, so that it fails such a run instead of leaving that out.
 */
export function forkedSegment(copied: Segment, sets: readonly SetBefore[]): Segment {
  if (sets.length === 0) return copied
  const entry = JSON.stringify(['set', copied.upto, sets])
  return { ...copied, place: copied.place ^ 1, entries: `${copied.entries.slice(0, -1)},${entry}]` }
}

function arrivalOf(entry: Entry): Arrival[] {
  if (entry[0] === 'answer' || entry[0] === 'woke')
    return [{ number: entry[1], value: entry[2], atMs: entry[3] }]
  return entry[0] === 'aborted'
    ? [{ number: entry[1], failure: { reason: wasCancelled() }, atMs: entry[2] }]
    : []
}

const wasCancelled = () => new RunCancelled(new Failure('RunEnded', 'The run was cancelled.'))

/** Undefined for a run whose row has it. */
export function keptInput([first]: readonly Segment[]): KeptInput | undefined {
  if (first?.entries.startsWith('[["input",') !== true) return undefined
  const [kept] = JSON.parse(first.entries) as Entry[]
  return kept?.[0] === 'input' ? { input: kept[1], revision: kept[2], isDurable: kept[3] } : undefined
}

/** A journal without its end stops where the last commit was. */
function limitOf({ until }: JournalReading, isWhole: boolean, upto: number): number {
  return Math.min(until ?? Number.POSITIVE_INFINITY, isWhole ? Number.POSITIVE_INFINITY : upto)
}

/** Waits that were begun, and when each ends at the latest; a fork has but the ends of those that were over. */
function waitsOf(entries: readonly Entry[]): Map<number, number> {
  const waits = new Map<number, number>()
  for (const one of entries) if (one[0] === 'woke') waits.set(one[1], 0)
  for (const one of entries) if (one[0] === 'wait') waits.set(one[1], one[2])
  return waits
}

/** The last segment in which an event came that the run waited for; the first one where there is none. */
function lastEventIn(segments: readonly Segment[]): number {
  const isEvent = (one: Entry) => one[0] === 'woke' && one[2] !== null
  const last = segments.findLast(
    ({ entries }) => entries.includes('["woke"') && (JSON.parse(entries) as Entry[]).some(isEvent),
  )
  return last?.segment ?? 0
}

/** What the run saw, a list for each time between two waits. */
function readsBetweenWaits(entries: readonly Entry[]): ReadEntry[][] {
  const reads: ReadEntry[][] = [[]]
  for (const one of entries) {
    if (one[0] === 'woke') reads.push([])
    if (one[0] === 'key' || one[0] === 'whole' || one[0] === 'role') reads.at(-1)?.push(one)
  }
  return reads
}

/** FNV-1a over 32 bits, as a number that a column of type int holds. */
function hashOf(text: string, before: number): number {
  let hash = before ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
