import { ExpressionError } from '../expression-error.ts'
import { grow, type Run, spend } from '../run.ts'
import type { Pattern, PatternMatch } from '../values/pattern.ts'

const longestSearchMs = 50

/** The matches of a pattern, from left to right, paid for before they are looked for. */
export function* matchesOf(text: string, pattern: Pattern, run: Run): Generator<PatternMatch> {
  // One match costs at most a look at everything, but many can each look at all the rest: a clock bounds their sum.
  spend(run, Math.ceil((text.length * pattern.cost) / 2))
  const deadline = performance.now() + longestSearchMs
  for (const match of pattern.matches(text)) {
    spend(run, 1 + match.groups.length)
    if (performance.now() > deadline) {
      throw new ExpressionError('The regular expression takes too long on this text.')
    }
    yield match
  }
}

/** The text with each match of a pattern replaced; $1 and $& stand for what was matched. */
export function replacePattern(text: string, pattern: Pattern, by: string, run: Run): string {
  grow(run, text.length + by.length)
  const pieces = piecesOf(by)
  let result = ''
  let at = 0
  for (const match of matchesOf(text, pattern, run)) {
    spend(run, pieces.length)
    const filled = pieces.map((piece) => (typeof piece === 'string' ? piece : (match.groups[piece] ?? '')))
    for (const piece of filled) grow(run, piece.length)
    result += text.slice(at, match.start) + filled.join('')
    at = match.end
  }
  return result + text.slice(at)
}

/** What a replacement consists of: texts, and the numbers of groups to put in. */
function piecesOf(by: string): (string | number)[] {
  const pieces: (string | number)[] = []
  let at = 0
  for (const found of by.matchAll(/\$(?:(\d)|&)/g)) {
    if (found.index > at) pieces.push(by.slice(at, found.index))
    pieces.push(Number(found[1] ?? 0))
    at = found.index + found[0].length
  }
  if (at < by.length) pieces.push(by.slice(at))
  return pieces
}
