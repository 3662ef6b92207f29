import { randomUUID } from 'node:crypto'
import { Failure, isRecord } from '@platform/kernel'
import type { ReadEntry } from '../contexts/context-reads.ts'
import type { StoredContext } from '../contexts/contexts.ts'
import { RunCancelled } from './automation-failure.ts'
import type { ClockEntry } from './run-chance.ts'
import type { Arrival } from './turns.ts'
import type { LogPlace } from './wait-inbox.ts'

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

/** What came in, or what is to be known of the run. */
export type Entry =
  | readonly ['seed', string]
  /** The number of who asked, what came in, and when, in Unix milliseconds. */
  | readonly ['answer', number, unknown, (number | undefined)?]
  /** A wait was begun, which ends at this Unix time at the latest. */
  | readonly ['wait', number, number]
  /** It ended with this event, or without one, and when; and where the event is in the log. */
  | readonly ['woke', number, unknown, (number | undefined)?, LogPlace?]
  /** The number of who asked, and was told that the run is cancelled. */
  | readonly ['aborted', number, (number | undefined)?]
  /** The number of a change for which there was no room in its context. */
  | readonly ['refused', number]
  /** Which check of a run found that it is cancelled. */
  | readonly ['cancelled', number]
  /** Behind the effect of this number nothing was done any more: the workspace was suspended. */
  | readonly ['suspended', number]
  | readonly ['input', unknown, number, boolean]
  /** Behind the effect of this number somebody has changed variables: the run is a fork. */
  | readonly ['set', number, readonly SetBefore[]]
  /** The run has ended: everything that came in is there. */
  | readonly ['end']
  /** It came in to a run of other automations: where that was then says nothing. */
  | readonly ['other']
  | readonly ['heldBack', HeldBack]
  | ClockEntry
  | ReadEntry

/** What a journal is for. */
export interface JournalUse {
  /** That a run is going on is news where nothing is stored of it. Default false. */
  readonly isUnknown?: boolean | undefined
  /** It is only read. */
  readonly reading?: JournalReading | undefined
  /** It is kept in memory until the run has ended, in so many characters at most: it ends before what is too much. */
  readonly recordsAtMost?: number | undefined
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

/** A variable that a fork begins with. */
export interface SetBefore {
  readonly path: string
  readonly value: unknown
}

/** What a run that nobody stored before its end was called with, and in which revision of its workspace. */
export interface KeptInput {
  readonly input: unknown
  readonly revision: number
  /** True where another process could have taken it over. */
  readonly isDurable: boolean
}

export const seedOf = (entries: readonly Entry[]): string =>
  entries.find((one) => one[0] === 'seed')?.[1] ?? randomUUID()

export const sizeOf = (segments: readonly Segment[]): number =>
  segments.reduce((size, one) => size + one.entries.length, 0)

export function setsOf(entries: readonly Entry[]): readonly [number, readonly SetBefore[]] | undefined {
  const sets = entries.find((one) => one[0] === 'set')
  return sets === undefined ? undefined : [sets[1], sets[2]]
}

/** Where the run must be at each of its commits; the one before which something was set is marked. */
export const placesOf = (segments: readonly Segment[], marked: number | undefined): Map<number, number> =>
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

/** What came in to a run, for one of other automations that it comes in to again. */
export const ofOthers = (segments: readonly Segment[]): Segment[] =>
  segments.map((one, index) => (index === 0 ? { ...one, entries: withMark(one.entries) } : one))

const withMark = (entries: string): string => JSON.stringify([...(JSON.parse(entries) as Entry[]), ['other']])

export function arrivalOf(entry: Entry): Arrival[] {
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

/** Behind which effect a run ended whose workspace was suspended; undefined for others. */
export function suspensionIn(segments: readonly Segment[]): number | undefined {
  const text = segments.findLast(({ entries }) => entries.includes('["suspended",'))?.entries ?? '[]'
  return (JSON.parse(text) as Entry[]).find((one) => one[0] === 'suspended')?.[1]
}

/** Waits that were begun, and when each ends at the latest; a fork has but the ends of those that were over. */
export function waitsOf(entries: readonly Entry[]): Map<number, number> {
  const waits = new Map<number, number>()
  for (const one of entries) if (one[0] === 'woke') waits.set(one[1], 0)
  for (const one of entries) if (one[0] === 'wait') waits.set(one[1], one[2])
  return waits
}

/**
 * Where the events are that waits of the run have ended with. Null for those that another run has taken, of which this
 * one was made: those are in the first segment, before any wait of the run itself can be over.
 */
export const eventPlacesIn = (segments: readonly Segment[]): Map<string, LogPlace | null> =>
  new Map(segments.flatMap(placesOfWoken))

function placesOfWoken({ segment, entries }: Segment): [string, LogPlace | null][] {
  if (!entries.includes('["woke"')) return []
  return (JSON.parse(entries) as Entry[]).flatMap((one): [string, LogPlace | null][] => {
    if (one[0] !== 'woke') return []
    const [id, place] = [idOf(one[2]), segment === 0 ? null : one[4]]
    return id === undefined || place === undefined ? [] : [[id, place]]
  })
}

/** Of an event. */
const idOf = (value: unknown): string | undefined =>
  isRecord(value) && typeof value.id === 'string' ? value.id : undefined

/** What came in, as it is kept; of the event that ended a wait also its place. */
export function entryOf(
  { number, value, failure, atMs }: Arrival,
  isWait: boolean,
  places: ReadonlyMap<string, LogPlace | null>,
): Entry {
  if (failure !== undefined) return ['aborted', number, atMs]
  if (!isWait) return ['answer', number, value ?? null, atMs]
  const place = places.get(idOf(value) ?? '') ?? undefined
  const woke = ['woke', number, value ?? null, atMs] as const
  return place === undefined ? woke : [...woke, place]
}

/** The last segment in which an event came that the run waited for; the first one where there is none. */
export function lastEventIn(segments: readonly Segment[]): number {
  const isEvent = (one: Entry) => one[0] === 'woke' && one[2] !== null
  const last = segments.findLast(
    ({ entries }) => entries.includes('["woke"') && (JSON.parse(entries) as Entry[]).some(isEvent),
  )
  return last?.segment ?? 0
}

/** What the run saw, a list for each time between two waits. */
export function readsBetweenWaits(entries: readonly Entry[]): ReadEntry[][] {
  const reads: ReadEntry[][] = [[]]
  for (const one of entries) {
    if (one[0] === 'woke') reads.push([])
    if (isRead(one)) reads.at(-1)?.push(one)
  }
  return reads
}

const readKinds: ReadonlySet<Entry[0]> = new Set<ReadEntry[0]>(['key', 'whole', 'role', 'email'])
const isRead = (entry: Entry): entry is ReadEntry => readKinds.has(entry[0])
