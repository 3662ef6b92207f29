import { Failure } from '@platform/kernel'

/**
 * How large a value is when it is written out. Variables are values, so `[a, a]` costs nothing to make and may hold
 * the same list twice; a few dozen rounds of that make a value no computer can write. So values are measured before
 * anything walks through them.
 */

/** Most characters a variable may have as JSON. */
export const MAX_VARIABLE = 50_000_000

/** Most characters of what leaves an automation: an output, the arguments of a call. */
export const MAX_OUTPUT = 10_000_000

/** Bodies are read to 64 levels; some more are left for what an automation wraps around them. */
const MAX_DEPTH = 100

/** Smaller values are counted again each time: that is cheaper than to remember them. */
const REMEMBERED_FROM = 64

interface Size {
  readonly characters: number
  /** Levels of lists and objects, this one included. */
  readonly height: number
}

/** What was measured can't change any more: whatever a variable held when it was read is copied before a write. */
const known = new WeakMap<object, Size>()

export interface Measured {
  /** Characters as JSON, escapes not counted; where `excess` is set, of as much as was looked at. */
  readonly characters: number
  readonly excess: 'size' | 'depth' | undefined
}

/** Measures a value that nobody changes any more. Costs no more than `max`, and less for what was measured before. */
export function measure(value: unknown, max: number): Measured {
  const measuring = new Measuring(max)
  measuring.add(value, MAX_DEPTH)
  const { characters, excess } = measuring
  return { characters, excess: excess ?? (characters > max ? 'size' : undefined) }
}

/** Of lists and objects that were written out: as with what was measured, they can't change any more. */
const lengths = new WeakMap<object, number>()

/** Shorter ones are written out again each time: that is cheaper than to remember them. */
const LONG = 1000

/** Characters of a value as JSON, escapes counted. It has a size that was found to be one that can be written out. */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return JSON.stringify(value).length
  if (typeof value !== 'object' || value === null) return scalarLength(value)
  const known = lengths.get(value)
  if (known !== undefined) return known
  const { length } = JSON.stringify(value)
  if (length >= LONG) lengths.set(value, length)
  return length
}

/** Throws PayloadTooLarge, naming `what`, for a value with more characters or levels than it may have. */
export function requireSize(value: unknown, max: number, what: () => string): void {
  if (typeof value !== 'object' && typeof value !== 'string') return
  const { excess } = measure(value, max)
  if (excess === undefined) return
  const message =
    excess === 'depth'
      ? `${what()} is nested deeper than ${MAX_DEPTH} levels: make it flatter.`
      : `${what()} has more than ${max} characters as JSON: keep less in it.`
  throw new Failure('PayloadTooLarge', message, {
    details: excess === 'depth' ? { maxDepth: MAX_DEPTH } : { max },
  })
}

type Container = unknown[] | Readonly<Record<string, unknown>>

/** One measurement; it stops at the first excess. */
class Measuring {
  characters = 0
  excess: Measured['excess']
  readonly #max: number
  #nodes = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Adds a value that may have `room` levels. Answers its height. */
  add(value: unknown, room: number): number {
    this.#nodes += 1
    if (typeof value === 'object' && value !== null) return this.#addContainer(value as Container, room)
    this.characters += typeof value === 'string' ? value.length + 2 : scalarLength(value)
    return 0
  }

  #addContainer(value: Container, room: number): number {
    const size = known.get(value)
    if ((size?.height ?? 1) > room) this.excess ??= 'depth'
    if (this.excess !== undefined) return 0
    if (size === undefined) return this.#look(value, room)
    this.characters += size.characters
    // A value that holds remembered ones is worth remembering too.
    this.#nodes += REMEMBERED_FROM
    return size.height
  }

  #look(value: Container, room: number): number {
    const { characters } = this
    const nodes = this.#nodes
    this.characters += 2
    const height =
      1 + (Array.isArray(value) ? this.#addItems(value, room - 1) : this.#addFields(value, room - 1))
    if (this.excess === undefined && this.#nodes - nodes >= REMEMBERED_FROM) {
      known.set(value, { characters: this.characters - characters, height })
    }
    return height
  }

  #addItems(list: readonly unknown[], room: number): number {
    let height = 0
    this.characters += Math.max(0, list.length - 1)
    for (const item of list) {
      height = Math.max(height, this.add(item, room))
      if (this.#isOver()) return height
    }
    return height
  }

  #addFields(record: Readonly<Record<string, unknown>>, room: number): number {
    let height = 0
    let count = 0
    for (const key of Object.keys(record)) {
      const item = record[key]
      if (item === undefined) continue
      count += 1
      this.characters += key.length + 3
      height = Math.max(height, this.add(item, room))
      if (this.#isOver()) return height
    }
    this.characters += Math.max(0, count - 1)
    return height
  }

  #isOver(): boolean {
    if (this.characters > this.#max) this.excess ??= 'size'
    return this.excess !== undefined
  }
}

function scalarLength(value: unknown): number {
  if (typeof value === 'number') return numberLength(value)
  return value === false ? 5 : 4
}

/** JSON has no words for infinity and the like: they are `null`. */
function numberLength(value: number): number {
  if (value >= 0 && value < 10 && Number.isInteger(value)) return 1
  return Number.isFinite(value) ? String(value).length : 4
}
