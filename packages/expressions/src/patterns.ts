import { asExpressionError } from './expression-error.ts'
import { matchesOf, replacePattern } from './functions/pattern-matches.ts'
import type { Options } from './options.ts'
import { Run } from './run.ts'
import { buildPattern, type PatternMatch } from './values/pattern.ts'

/** A regular expression as it is written. */
export interface WrittenPattern {
  readonly source: string
  readonly flags: string
}

/** The first matches of a pattern, in time linear to the text. Throws ExpressionError. */
export function findMatches(
  text: string,
  { source, flags }: WrittenPattern,
  max: number,
  options?: Options,
): PatternMatch[] {
  try {
    const run = new Run({}, options)
    const found: PatternMatch[] = []
    for (const match of matchesOf(text, buildPattern(source, flags, run), run)) {
      found.push(match)
      if (found.length >= max) break
    }
    return found
  } catch (error) {
    throw asExpressionError(error)
  }
}

/** The text with each match replaced; `$1` and `$&` stand for what was found. Throws ExpressionError. */
export function replaceMatches(
  text: string,
  { source, flags }: WrittenPattern,
  by: string,
  options?: Options,
): string {
  try {
    const run = new Run({}, options)
    return replacePattern(text, buildPattern(source, flags, run), by, run)
  } catch (error) {
    throw asExpressionError(error)
  }
}
