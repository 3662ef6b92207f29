import { asExpressionError } from '../expression-error.ts'
import type { Options } from '../options.ts'
import { Run } from '../run.ts'
import { matchFilter } from './match-filter.ts'

/**
 * Whether an event (or any value) fits a filter of `wait.oneOf[].filters`: dotted paths to a value or to
 * $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $regex, $exists; all must hold. The same as jsonmatch() in expressions.
 */
export function matchesFilter(value: unknown, filter: unknown, options?: Options): boolean {
  try {
    return matchFilter(value, filter, new Run({}, options))
  } catch (error) {
    throw asExpressionError(error)
  }
}
