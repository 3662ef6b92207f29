import { createHash } from 'node:crypto'
import { isScalar, isStorable, keysOf, type Scalar, textOf } from '../filter.ts'

/**
 * Every value of a document as terms of one keyword field, because a flattened field knows no numbers, no lists and
 * no missing values. A term is a path, a sign and a text; in paths the signs are escaped, so terms of different paths
 * never mix.
 *
 * | Term | Says |
 * |---|---|
 * | `path$text` | a text that no number, true or false looks like |
 * | `path=text` | the text form of a number, true or false, or a text that looks like one |
 * | `path"text` | beside `=`: it is a text |
 * | `path#digits` | beside `=`: it is a number, in digits that order like numbers |
 * | `path!` | null |
 * | `path?` | something that isn't null |
 * | `path~digest` | beside `$`: the whole of a text that was cut |
 */
export type Sign = '$' | '=' | '"' | '#'

const LEAVES_MAX = 10_000
/** Together with its path three bytes a character stay below the 32,766 that a term may have. */
const TEXT_MAX = 8000
const PATH_MAX = 1000

/**
 * Terms of all values, those of the first values where there are more than fit. The payload comes last, so that a
 * large one never pushes out the fields that decide who may see an event.
 */
export function leavesOf({ payload, ...around }: Record<string, unknown>): string[] {
  const leaves = new Set<string>()
  collectFields({ ...around, payload }, '', leaves)
  return [...leaves].slice(0, LEAVES_MAX)
}

function collectFields(object: Record<string, unknown>, above: string, leaves: Set<string>): void {
  for (const [key, value] of Object.entries(object)) {
    if (leaves.size >= LEAVES_MAX) return
    if (value !== undefined && isStorable(key)) collectField(value, above + escapeKey(key), leaves)
  }
}

function collectField(value: unknown, path: string, leaves: Set<string>): void {
  for (const element of Array.isArray(value) ? value : [value]) collect(element, path, leaves)
}

function collect(value: unknown, path: string, leaves: Set<string>): void {
  const name = nameOf(path)
  if (value === null) leaves.add(`${name}!`)
  else leaves.add(`${name}?`)
  if (isScalar(value)) for (const term of termsOf(name, value)) leaves.add(term)
  // A list within a list is not looked into.
  else if (typeof value === 'object' && !Array.isArray(value)) collectFields({ ...value }, `${path}.`, leaves)
}

function termsOf(name: string, value: Scalar): string[] {
  if (value === null) return []
  const text = textOf(value)
  if (typeof value === 'number') return [`${name}=${text}`, `${name}#${orderedText(value)}`]
  if (typeof value === 'boolean') return [`${name}=${text}`]
  if (!isStorable(text)) return []
  if (looksLikeNoText(text)) return [`${name}=${text}`, `${name}"${text}`]
  if (text.length <= TEXT_MAX) return [`${name}$${text}`]
  return [`${name}$${cut(text)}`, `${name}~${digestOf(text)}`]
}

/** One character longer than any text that is whole, so that none equals it; never half of a surrogate pair. */
function cut(text: string): string {
  const end = text.slice(TEXT_MAX + 1)
  const start = text.slice(0, TEXT_MAX + 1)
  return start.isWellFormed() ? start : start + end.slice(0, 1)
}

/** The terms a document has when a value at the path has this text form; none when no document can. */
export function termsEqual(path: string, text: string): string[] {
  if (!isStorable(text)) return []
  const name = nameAt(path)
  if (looksLikeNoText(text)) return [`${name}=${text}`]
  if (text === 'null') return [`${name}!`, `${name}$null`]
  return [text.length <= TEXT_MAX ? `${name}$${text}` : `${name}~${digestOf(text)}`]
}

/** The beginning of the terms of a kind at a path. */
export const termsBegin = (path: string, sign: Sign): string => `${nameAt(path)}${sign}`

export const termOfNull = (path: string): string => `${nameAt(path)}!`
export const termOfPresence = (path: string): string => `${nameAt(path)}?`

/** What follows the last part of every term that begins so. */
export const termsEnd = (begin: string): string =>
  `${begin.slice(0, -1)}${String.fromCharCode(begin.charCodeAt(begin.length - 1) + 1)}`

/** A text as far as it is part of a term; for comparing. */
export const comparable = (text: string): string => (text.length <= TEXT_MAX ? text : cut(text))

/** True for the text forms of numbers, true and false. */
function looksLikeNoText(text: string): boolean {
  if (text === 'true' || text === 'false') return true
  return /^-?[0-9]/.test(text) && textOf(Number(text)) === text
}

const escapeKey = (key: string): string => key.replace(/[\\.$="#!?~]/g, '\\$&')
const nameAt = (path: string): string => nameOf(keysOf(path).map(escapeKey).join('.'))
const nameOf = (path: string): string => (path.length <= PATH_MAX ? path : digestOf(path))
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A number as 16 hexadecimal digits whose order as texts is that of the numbers. Minus zero is zero. */
export function orderedText(value: number): string {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value === 0 ? 0 : value)
  const bits = view.getBigUint64(0)
  const ordered = bits >> 63n === 1n ? ~bits & ALL : bits | SIGN
  return ordered.toString(16).padStart(16, '0')
}

/** The number of such a text. */
export function orderedNumber(text: string): number {
  const ordered = BigInt(`0x${text}`)
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, ordered >> 63n === 1n ? ordered & ~SIGN : ~ordered & ALL)
  return view.getFloat64(0)
}

const SIGN = 1n << 63n
const ALL = (1n << 64n) - 1n
