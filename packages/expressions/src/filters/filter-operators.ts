import { ExpressionError } from '../expression-error.ts'
import { type Run, spend } from '../run.ts'
import { compare, equalStrictly } from '../values/comparison.ts'
import { isDateValue } from '../values/date-value.ts'
import { testPattern } from '../values/membership.ts'
import { buildPattern, Pattern, readPattern } from '../values/pattern.ts'
import { isNothing } from '../values/properties.ts'
import { toText } from '../values/text.ts'

/** A test of the values found at a path; none means that the path does not exist. */
export type FilterOperator = (
  found: readonly unknown[],
  operand: unknown,
  run: Run,
  siblings: Record<string, unknown>,
) => boolean

/** Equality as Mongo has it: a list fits when it is equal or holds an equal element, null fits what is missing. */
export function isEqualTo(found: readonly unknown[], wanted: unknown, run: Run): boolean {
  if (isNothing(wanted)) return found.length === 0 || candidates(found, run).some(isNothing)
  return candidates(found, run).some((value) => equalStrictly(value, wanted, run))
}

/** The found values and, for lists, their elements too. */
export function candidates(found: readonly unknown[], run: Run): readonly unknown[] {
  return found.flatMap((value) => {
    if (!Array.isArray(value)) return [value]
    spend(run, value.length)
    return [...value, value]
  })
}

function isIn(found: readonly unknown[], list: unknown, run: Run): boolean {
  const options: readonly unknown[] = Array.isArray(list) ? list : [list]
  spend(run, options.length)
  return options.some((option) =>
    option instanceof Pattern ? fits(found, option, run, {}) : isEqualTo(found, option, run),
  )
}

function ordered(accept: (order: number) => boolean): FilterOperator {
  return (found, operand, run) =>
    candidates(found, run).some(
      (value) => isComparable(value, operand) && compare(value, operand, run, accept),
    )
}

// Only like is ordered with like, as in Mongo; dates and texts are both instants.
function isComparable(value: unknown, operand: unknown): boolean {
  if (isInstant(value) || isInstant(operand)) return true
  return typeof value === typeof operand && typeof value !== 'object'
}

function isInstant(value: unknown): boolean {
  return isDateValue(value) || value instanceof Date
}

function fits(
  found: readonly unknown[],
  operand: unknown,
  run: Run,
  siblings: Record<string, unknown>,
): boolean {
  if (isNothing(operand)) return false
  const flags = siblings.$options
  const pattern = operand instanceof Pattern ? operand : toPattern(toText(operand, run), flags, run)
  return candidates(found, run).some((value) => typeof value === 'string' && testPattern(pattern, value, run))
}

function toPattern(source: string, flags: unknown, run: Run): Pattern {
  return isNothing(flags) ? readPattern(source, run) : buildPattern(source, toText(flags, run), run)
}

function hasAll(found: readonly unknown[], operand: unknown, run: Run): boolean {
  const wanted: readonly unknown[] = Array.isArray(operand) ? operand : [operand]
  spend(run, wanted.length)
  return wanted.length > 0 && wanted.every((item) => isEqualTo(found, item, run))
}

function hasRemainder(found: readonly unknown[], operand: unknown): boolean {
  const [divisor, remainder]: readonly unknown[] = Array.isArray(operand) ? operand : []
  return found.some((value) => typeof value === 'number' && value % Number(divisor) === Number(remainder))
}

function isOfType(found: readonly unknown[], operand: unknown, run: Run): boolean {
  const names: readonly unknown[] = Array.isArray(operand) ? operand : [operand]
  spend(run, names.length * 2 * found.length)
  return found.some(
    (value) => names.includes(typeName(value)) || (names.includes('int') && Number.isInteger(value)),
  )
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const name = typeof value
  return name === 'boolean' ? 'bool' : name
}

/** Every operator about the values at a path, by its name. */
export const operators: ReadonlyMap<string, FilterOperator> = new Map<string, FilterOperator>([
  ['$eq', isEqualTo],
  ['$ne', (found, operand, run) => !isEqualTo(found, operand, run)],
  ['$in', isIn],
  ['$nin', (found, operand, run) => !isIn(found, operand, run)],
  ['$gt', ordered((order) => order > 0)],
  ['$gte', ordered((order) => order >= 0)],
  ['$lt', ordered((order) => order < 0)],
  ['$lte', ordered((order) => order <= 0)],
  ['$exists', (found, operand) => found.length > 0 === (Boolean(operand) && operand !== 'false')],
  ['$regex', fits],
  ['$options', requireRegex],
  ['$all', hasAll],
  [
    '$size',
    (found, operand) => found.some((value) => Array.isArray(value) && value.length === Number(operand)),
  ],
  ['$mod', hasRemainder],
  ['$type', isOfType],
])

function requireRegex(
  _: readonly unknown[],
  __: unknown,
  ___: Run,
  siblings: Record<string, unknown>,
): boolean {
  if (Object.hasOwn(siblings, '$regex')) return true
  throw new ExpressionError('The filter operator "$options" needs "$regex" beside it.')
}
