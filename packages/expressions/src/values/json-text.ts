import { ExpressionError } from '../expression-error.ts'
import { Run, scan, spend } from '../run.ts'
import { isRecord } from './properties.ts'

/** Making one value of a JSON text, and looking whether it holds a key that has to go. */
const perValue = 4
const perCleanedValue = 10

/** A try that fails makes an error, which is dear. */
const perTry = 50

/** JSON.parse without the keys that poison prototypes when a careless reader merges the result. */
export function parseJson(text: string, run: Run): unknown {
  scan(run, text.length)
  const isSuspicious = /__proto__|constructor|\\u/.test(text)
  spend(run, mostValuesIn(text) * (isSuspicious ? perCleanedValue : perValue))
  const value: unknown = JSON.parse(text)
  return isSuspicious ? cleaned(value) : value
}

/**
 * A JSON text from outside, read as the function `json` reads it: within the work one expression may do. Throws
 * ExpressionError for more, SyntaxError for what is no JSON.
 */
export const readJson = (text: string): unknown => parseJson(text, new Run({}))

// Each value but the first has a comma, a colon or a bracket before it.
function mostValuesIn(text: string): number {
  let count = 1
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 0x2c || unit === 0x3a || unit === 0x5b || unit === 0x7b) count += 1
  }
  return count
}

// As far down as JSON.parse has come, which has no stack to run out of; what is deeper than this is refused.
const deepest = 1_000

function cleaned(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) throw new ExpressionError('The JSON is nested too deeply.')
  if (!Array.isArray(value)) removePoison(value)
  for (const item of Array.isArray(value) ? value : Object.values(value)) cleaned(item, depth + 1)
  return value
}

function removePoison(record: object): void {
  for (const [key, item] of Object.entries(record))
    if (isPoison(key, item)) Reflect.deleteProperty(record, key)
}

function isPoison(key: string, value: unknown): boolean {
  return (
    key === '__proto__' || (key === 'constructor' && isRecord(value) && Object.hasOwn(value, 'prototype'))
  )
}

/** The first object or list in a text that is valid JSON; a text that is JSON as a whole is read whole. */
export function findJson(text: string, run: Run): unknown {
  const whole = tryParse(text, run)
  if (whole !== undefined) return whole.value
  // Broken text can make every opening bracket a scan to its end, so the scans share what a few passes cost.
  const search: Search = { text, run, left: text.length * 8 }
  for (
    let start = nextOpening(text, 0);
    start !== -1 && search.left > 0;
    start = nextOpening(text, start + 1)
  ) {
    const end = findEnd(search, start)
    const found = end === -1 ? undefined : tryParse(text.slice(start, end), run)
    if (found !== undefined) return found.value
  }
  return undefined
}

interface Search {
  readonly text: string
  readonly run: Run
  left: number
}

function tryParse(text: string, run: Run): { value: unknown } | undefined {
  spend(run, perTry)
  try {
    return { value: parseJson(text, run) }
  } catch (error) {
    if (error instanceof ExpressionError) throw error
    return undefined
  }
}

function nextOpening(text: string, from: number): number {
  const opening = /[[{]/g
  opening.lastIndex = from
  return opening.exec(text)?.index ?? -1
}

// The position behind the bracket that closes the one at start, brackets inside strings not counting.
function findEnd(search: Search, start: number): number {
  let depth = 0
  let at = start
  for (; at < search.text.length; at += 1) {
    const character = search.text[at] ?? ''
    if (character === '"') at = stringEnd(search.text, at)
    depth += levels[character] ?? 0
    if (depth === 0) break
  }
  const seen = at - start + 1
  search.left -= seen
  scan(search.run, seen * 2)
  return depth === 0 ? at + 1 : -1
}

const levels: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 }

function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
