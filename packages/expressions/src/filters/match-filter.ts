import { asExpressionError, ExpressionError } from '../expression-error.ts'
import type { Options } from '../options.ts'
import { checkDepth, Run, scan, spend } from '../run.ts'
import { Pattern } from '../values/pattern.ts'
import { isRecord, keysOf, readProperty } from '../values/properties.ts'
import { candidates, type FilterOperator, isEqualTo, operators } from './filter-operators.ts'

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

/** The values at a dotted path, and the elements of lists among them: what an equality of a filter is compared with. */
export function valuesAt(value: unknown, path: string, options?: Options): readonly unknown[] {
  try {
    const run = new Run({}, options)
    return candidates(findValues(value, path, run), run)
  } catch (error) {
    throw asExpressionError(error)
  }
}

/** Whether a value fits a filter: every key must hold; keys are paths or $and, $or, $nor, $not. */
export function matchFilter(value: unknown, filter: unknown, run: Run, depth = 0): boolean {
  checkDepth(run, depth)
  if (!isRecord(filter)) return false
  return keysOf(filter, run).every((key) => {
    const condition = filter[key]
    if (key.startsWith('$')) return matchLogic(value, key, condition, run, depth)
    return matchPath(findValues(value, key, run), condition, run, depth)
  })
}

function matchLogic(value: unknown, key: string, condition: unknown, run: Run, depth: number): boolean {
  const branches: readonly unknown[] = Array.isArray(condition) ? condition : [condition]
  const holds = (branch: unknown) => matchFilter(value, branch, run, depth + 1)
  if (key === '$and') return branches.every(holds)
  if (key === '$or') return branches.some(holds)
  if (key === '$nor' || key === '$not') return !branches.some(holds)
  // An operator at the top speaks about the value itself: {$gt: 3} against 5.
  return matchOperator([value], key, condition, {}, run, depth)
}

function matchPath(found: readonly unknown[], condition: unknown, run: Run, depth: number): boolean {
  if (condition instanceof Pattern) return matchOperator(found, '$regex', condition, {}, run, depth)
  if (!isOperatorRecord(condition)) return isEqualTo(found, condition, run)
  return Object.entries(condition).every(([name, operand]) =>
    matchOperator(found, name, operand, condition, run, depth),
  )
}

function isOperatorRecord(condition: unknown): condition is Record<string, unknown> {
  if (!isRecord(condition)) return false
  const keys = Object.keys(condition)
  return keys.length > 0 && keys.some((key) => key.startsWith('$'))
}

function matchOperator(
  found: readonly unknown[],
  name: string,
  operand: unknown,
  siblings: Record<string, unknown>,
  run: Run,
  depth: number,
): boolean {
  spend(run, 1)
  if (name === '$not') return !matchPath(found, operand, run, depth + 1)
  if (name === '$elemMatch') return matchElements(found, operand, run, depth + 1)
  const operator: FilterOperator | undefined = operators.get(name)
  if (operator === undefined) {
    throw new ExpressionError(`The filter operator "${name.slice(0, 40)}" does not exist; ${known()}.`)
  }
  return operator(found, operand, run, siblings)
}

function matchElements(found: readonly unknown[], condition: unknown, run: Run, depth: number): boolean {
  for (const list of found) spend(run, Array.isArray(list) ? list.length : 1)
  const elements = found.filter(Array.isArray).flat(1)
  const isOperator = isOperatorRecord(condition) && !Object.keys(condition).some((key) => logic.has(key))
  return elements.some((element: unknown) =>
    isOperator ? matchPath([element], condition, run, depth) : matchFilter(element, condition, run, depth),
  )
}

const logic = new Set(['$and', '$or', '$nor'])

function known(): string {
  return `use one of ${[...logic, '$not', '$elemMatch', ...operators.keys()].join(', ')}`
}

/** The values at a dotted path; a list on the way is entered by index or, without one, through all its elements. */
function findValues(value: unknown, path: string, run: Run): readonly unknown[] {
  scan(run, path.length)
  const direct = readProperty(value, path)
  if (direct !== undefined) return [direct]
  const keys = path.replace(/\[["']?([^[\]"']*)["']?\]/g, '.$1').split('.')
  spend(run, keys.length)
  return keys.reduce<readonly unknown[]>(
    (found, key) => found.flatMap((item) => stepInto(item, key, run)),
    [value],
  )
}

function stepInto(value: unknown, key: string, run: Run): readonly unknown[] {
  spend(run, 1)
  const own = typeof value === 'object' ? readProperty(value, key) : undefined
  if (own !== undefined) return [own]
  if (!Array.isArray(value)) return []
  spend(run, value.length)
  return value.map((element) => readProperty(element, key)).filter((item) => item !== undefined)
}

/** The conditions of a filter, each as one by itself: a filter is over at the first that is not true. */
export const singleConditions = (
  filter: Readonly<Record<string, unknown>>,
): { readonly key: string; readonly filter: Readonly<Record<string, unknown>> }[] =>
  Object.entries(filter).flatMap(([key, condition]) =>
    (isRecord(condition)
      ? Object.entries(condition).map((entry): unknown => Object.fromEntries([entry]))
      : [condition]
    ).map((part) => ({ key, filter: { [key]: part } })),
  )
