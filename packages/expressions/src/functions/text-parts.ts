import { sliceText } from '@platform/kernel'
import { ExpressionError } from '../expression-error.ts'
import { grow, type Run, scan, spend } from '../run.ts'
import { finderOf } from '../values/membership.ts'
import { Pattern } from '../values/pattern.ts'
import { toText } from '../values/text.ts'
import { NO_SEPARATOR } from './names.ts'
import { matchesOf, replacePattern } from './pattern-matches.ts'

type Parameters = readonly unknown[]

/** split(text, separator), the separator being a text or regex( ). */
export function split([value, separator]: Parameters, run: Run): string[] {
  if (value === undefined || value === null) return []
  const text = toText(value, run)
  grow(run, text.length)
  if (separator instanceof Pattern) return cut(text, separator, run)
  if (separator === undefined || separator === null) throw new ExpressionError(NO_SEPARATOR)
  return cutAt(text, toText(separator, run), run)
}

/** join(list, separator) */
export function join([list, separator]: Parameters, run: Run): string {
  if (list === undefined || list === null) return ''
  if (!Array.isArray(list)) throw new ExpressionError('join() needs a list as its first parameter.')
  const glue = toText(separator ?? ',', run)
  spend(run, list.length)
  const pieces = list.map((item) => {
    const piece = toText(item, run)
    grow(run, piece.length + glue.length)
    return piece
  })
  return pieces.join(glue)
}

/** slice(list or text, start, end), negative positions counting from the end. */
export function slice([value, start, end]: Parameters, run: Run): unknown {
  const from = toPosition(start)
  const to = toPosition(end)
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return sliceText(toText(value, run), from, to)
  spend(run, value.length >>> 3)
  return value.slice(from, to)
}

function toPosition(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : Number(value)
}

/** replace(text, search, replacement): every occurrence of a text or regex( ); $1 and $& work with regex( ). */
export function replace([value, search, replacement]: Parameters, run: Run): string {
  const text = toText(value, run)
  const by = toText(replacement, run)
  if (search instanceof Pattern) return replacePattern(text, search, by, run)
  const wanted = toText(search, run)
  if (wanted === '') return text
  const pieces = cutAt(text, wanted, run)
  grow(run, text.length + (pieces.length - 1) * by.length)
  return pieces.join(by)
}

// A piece is a text of its own, which costs more than the comparison that found it.
const perPiece = 2

function cutAt(text: string, separator: string, run: Run): string[] {
  scan(run, text.length)
  if (separator === '') {
    spend(run, text.length * perPiece)
    return Array.from(text)
  }
  const find = finderOf(separator, text.length, run)
  const pieces: string[] = []
  let start = 0
  for (let at = find(text, 0); at !== -1; at = find(text, start)) {
    spend(run, perPiece)
    pieces.push(text.slice(start, at))
    start = at + separator.length
  }
  pieces.push(text.slice(start))
  return pieces
}

function cut(text: string, separator: Pattern, run: Run): string[] {
  const pieces: string[] = []
  let at = 0
  for (const match of matchesOf(text, separator, run)) {
    if (match.end === match.start) continue
    pieces.push(text.slice(at, match.start))
    at = match.end
  }
  pieces.push(text.slice(at))
  return pieces
}
