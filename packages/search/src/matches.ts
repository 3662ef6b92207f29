import type { Filter } from './filter.ts'
import { keysOf } from './path.ts'
import { isScalar, type Scalar, textOf } from './text-of.ts'
import { hasPrefix, wordsIn, wordsOf } from './words.ts'

type Bounds = Extract<Filter, { above?: unknown }>

/** True when a document fulfils a filter; the same answer as PostgreSQL gives for `toSql(filter)` and an index for its own form. */
export function matches(filter: Filter, document: unknown): boolean {
  if ('all' in filter) return filter.all.every((part) => matches(part, document))
  if ('any' in filter) return filter.any.some((part) => matches(part, document))
  if ('not' in filter) return !matches(filter.not, document)
  if ('text' in filter) return hasWords(filter.text, document)
  return matchesValues(filter, valuesAt(document, keysOf(filter.path)))
}

function matchesValues(filter: Extract<Filter, { path: string }>, values: unknown[]): boolean {
  if ('missing' in filter) return values.every((value) => value === null)
  const scalars = values.filter(isScalar)
  if ('in' in filter) {
    const wanted = new Set(filter.in.map(textOf))
    return scalars.some((value) => wanted.has(textOf(value)))
  }
  if ('like' in filter) return scalars.some((value) => isLike(textOf(value), filter.like))
  return scalars.some((value) => isWithin(value, filter))
}

/** The values at a path. A list stands for its elements, at the end as well as on the way, but not lists inside it. */
function valuesAt(document: unknown, keys: string[]): unknown[] {
  let values: unknown[] = [document]
  for (const key of keys) {
    values = values.flatMap(elementsOf).flatMap((value) => (hasKey(value, key) ? [value[key]] : []))
  }
  return values.flatMap(elementsOf)
}

const elementsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

const hasKey = (value: unknown, key: string): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.hasOwn(value, key) &&
  keptByJson(value, key)

/** JSON drops keys without a value. */
const keptByJson = (value: object, key: string): boolean =>
  (value as Record<string, unknown>)[key] !== undefined

/** `*` stands for any characters. Looks for the parts from left to right: no pattern takes long. */
function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*')
  const [first = '', ...middle] = parts
  const last = middle.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first)) return false
  let from = first.length
  for (const part of middle) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return text.length - last.length >= from && text.endsWith(last)
}

/** Numbers compare with numbers and texts with texts, by code points; anything else is outside. */
function isWithin(value: Scalar, { above, below, atLeast, atMost }: Bounds): boolean {
  return (
    (above === undefined || order(value, above) > 0) &&
    (below === undefined || order(value, below) < 0) &&
    (atLeast === undefined || order(value, atLeast) >= 0) &&
    (atMost === undefined || order(value, atMost) <= 0)
  )
}

function order(value: Scalar, bound: string | number): number {
  if (typeof value === 'number' && typeof bound === 'number') return value - bound
  if (typeof value === 'string' && typeof bound === 'string')
    return Buffer.compare(Buffer.from(value), Buffer.from(bound))
  return Number.NaN
}

function hasWords(text: string, document: unknown): boolean {
  const prefixes = wordsOf(text)
  if (prefixes.length === 0) return true
  const words = wordsIn(document)
  return prefixes.every((prefix) => hasPrefix(words, prefix))
}
