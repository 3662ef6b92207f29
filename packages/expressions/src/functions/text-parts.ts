import { ExpressionError } from '../expression-error.ts'
import { grow, type Run, spend } from '../run.ts'
import { Pattern } from '../values/pattern.ts'
import { toText } from '../values/text.ts'

type Parameters = readonly unknown[]

const longestSearchMs = 100

/** split(text, separator), the separator being a text or regex( ). */
export function split([value, separator]: Parameters, run: Run): string[] {
  if (value === undefined || value === null) return []
  const text = toText(value, run)
  grow(run, text.length)
  if (separator instanceof Pattern) return cut(text, separator, run)
  return cutAt(text, toText(separator ?? ',', run), run)
}

/** join(list, separator) */
export function join([list, separator]: Parameters, run: Run): string {
  if (list === undefined || list === null) return ''
  if (!Array.isArray(list)) throw new ExpressionError('join() needs a list as its first parameter.')
  const glue = toText(separator ?? ',', run)
  spend(run, list.length)
  const pieces = list.map((item) => toText(item, run))
  for (const piece of pieces) grow(run, piece.length + glue.length)
  return pieces.join(glue)
}

/** slice(list or text, start, end), negative positions counting from the end. */
export function slice([value, start, end]: Parameters, run: Run): unknown {
  const from = toPosition(start)
  const to = toPosition(end)
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value)) return toText(value, run).slice(from, to)
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

// One piece more than can be paid for is enough to know that there are too many.
function cutAt(text: string, separator: string, run: Run): string[] {
  const pieces = text.split(separator, run.steps + 1)
  spend(run, pieces.length)
  return pieces
}

function cut(text: string, separator: Pattern, run: Run): string[] {
  const pieces: string[] = []
  let at = 0
  for (const match of search(text, separator, run)) {
    if (match.end === match.start) continue
    pieces.push(text.slice(at, match.start))
    at = match.end
  }
  return [...pieces, text.slice(at)]
}

function replacePattern(text: string, pattern: Pattern, by: string, run: Run): string {
  let result = ''
  let at = 0
  grow(run, text.length)
  for (const match of search(text, pattern, run)) {
    const piece = by.replace(/\$(?:(\d)|&)/g, (_, group?: string) => match.groups[Number(group ?? 0)] ?? '')
    grow(run, piece.length)
    result += text.slice(at, match.start) + piece
    at = match.end
  }
  return result + text.slice(at)
}

// One match costs what testing costs, but many matches can each look at all the rest: only a clock bounds their sum.
function* search(text: string, pattern: Pattern, run: Run) {
  spend(run, Math.ceil((text.length * pattern.cost) / 20))
  const deadline = performance.now() + longestSearchMs
  for (const match of pattern.matches(text)) {
    spend(run, 1)
    if (performance.now() > deadline) {
      throw new ExpressionError('The regular expression takes too long on this text.')
    }
    yield match
  }
}
