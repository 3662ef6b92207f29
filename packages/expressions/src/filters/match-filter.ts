import { ExpressionError } from '../expression-error.ts'
import { checkDepth, type Run, spend } from '../run.ts'
import { Pattern } from '../values/pattern.ts'
import { isRecord, keysOf } from '../values/properties.ts'
import { type FilterOperator, isEqualTo, operators } from './filter-operators.ts'
import { findValues } from './find-values.ts'

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
