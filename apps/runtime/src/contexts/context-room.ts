import { Failure } from '@platform/kernel'
import { partAt, type Segment, type Write } from './context-changes.ts'
import { jsonLength, measure } from './value-size.ts'
import { type Owned, share } from './write-path.ts'

type Values = Readonly<Record<string, unknown>>

/** Characters of what is replaced are looked at up to here: it costs no more, and is exact for what is small. */
const LOOKED_AT = 1000

/** Far from the limit escapes make no difference: no character takes more than six. */
const ESCAPED = 6

/** Characters of the values of a context as JSON: exact from `exactFrom` up to `max`, an upper bound below. */
export function charactersOf(custom: Values, max: number, exactFrom: number, owned: Owned): number {
  // What is measured is shared: it must not change where it is any more.
  for (const value of Object.values(custom)) share(value, owned)
  const { characters, excess } = measure({ ...custom }, max)
  if (excess !== undefined) return Number.POSITIVE_INFINITY
  return characters * ESCAPED < exactFrom ? characters * ESCAPED : JSON.stringify(custom).length
}

/** True for a value that is too large for a context by itself: it is not even written out to be counted. */
export const isHuge = (value: unknown, max: number): boolean =>
  typeof value === 'string'
    ? value.length > max
    : typeof value === 'object' && measure(value, max).excess !== undefined

/** What a write adds to the characters of a context, at most. `before` is what is at its path. */
export function growthOf(custom: Values, path: readonly Segment[], write: Write, before: unknown): number {
  const added = jsonLength(write.value) + 1
  if (before === undefined) return added + surroundings(custom, path)
  return write.type === 'replace' ? added - leastOf(before) : added
}

/** What goes with a value that is taken away, at least. */
export const leastOf = (value: unknown): number =>
  value === undefined ? 0 : measure(value, LOOKED_AT).characters

/** What is made around a value where nothing was: names, brackets, and what fills a list up to its position. */
function surroundings(custom: Values, path: readonly Segment[]): number {
  let characters = 0
  for (let at = 0; at < path.length; at += 1) {
    const segment = path[at] as Segment
    const around = partAt(custom, path.slice(0, at))
    if (Object.hasOwn(Object(around), segment)) continue
    const isItem = Array.isArray(around) || (around === undefined && typeof segment === 'number')
    characters += isItem ? NULL * (Number(segment) + 1) : JSON.stringify(String(segment)).length + BRACKETS
  }
  return characters
}

/** A `null` with its comma. */
const NULL = 5
/** A colon, a comma and the brackets around. */
const BRACKETS = 4

export const contextTooLarge = (context: string, max: number): Failure =>
  new Failure(
    'PayloadTooLarge',
    `The context ${context} would have more than ${max} characters: keep less in it.`,
    { details: { context, max } },
  )
