import { checkDepth, type Run, scan, spend } from '../run.ts'
import { isDateValue } from './date-value.ts'
import { Pattern } from './pattern.ts'
import { isNothing, keysOf } from './properties.ts'

/** `===`: same type and same content; lists and objects are equal when everything in them is. */
export function equalStrictly(left: unknown, right: unknown, run: Run): boolean {
  return equalScalars(left, right, run) || equalStructures(left, right, run, 0)
}

/** `==`: content first, then as JavaScript compares different types, with dates taken as instants. */
export function equalLoosely(left: unknown, right: unknown, run: Run): boolean {
  if (equalScalars(left, right, run)) return true
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right)
  if (isDateValue(left) && isDateValue(right)) return left.ts === right.ts
  if (typeof left === 'object' && typeof right === 'object') return equalStrictly(left, right, run)
  if (typeof left === typeof right) return false
  const [a, b] = [primitiveOf(left, right), primitiveOf(right, left)]
  return equalScalars(a, b, run) || toNumber(a, run) === toNumber(b, run)
}

// Only texts of the same length are read to be compared.
function equalScalars(left: unknown, right: unknown, run: Run): boolean {
  if (typeof left === 'string' && typeof right === 'string' && left.length === right.length)
    scan(run, left.length)
  return left === right
}

function equalStructures(left: unknown, right: unknown, run: Run, depth: number): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null)
    return equalScalars(left, right, run)
  spend(run, 1)
  checkDepth(run, depth)
  if (left === right) return true
  if (left instanceof Date || right instanceof Date) return toNumber(left, run) === toNumber(right, run)
  if (Array.isArray(left) !== Array.isArray(right)) return false
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(run, left.length)
    return (
      left.length === right.length &&
      left.every((item, index) => equalStructures(item, right[index], run, depth + 1))
    )
  }
  const keys = keysOf(left, run)
  if (keys.length !== keysOf(right, run).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      equalStructures(Reflect.get(left, key), Reflect.get(right, key), run, depth + 1),
  )
}

// What a list or an object stands for beside a number or a text.
function primitiveOf(value: unknown, other: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isDateValue(value)) return typeof other === 'string' ? value.iso : value.ts
  if (value instanceof Date) return value.getTime()
  if (value instanceof Pattern) return value.toString()
  return Array.isArray(value) ? onlyItem(value) : Number.NaN
}

// As in JavaScript an empty list equals '' and a list of one scalar equals that scalar.
function onlyItem(list: readonly unknown[]): unknown {
  const [first] = list
  if (list.length > 1 || (typeof first === 'object' && first !== null)) return Number.NaN
  return String(first ?? '')
}

/** The number a value stands for; NaN when it stands for none. */
export function toNumber(value: unknown, run: Run): number {
  if (typeof value === 'number') return value
  if (value === undefined || typeof value === 'symbol') return Number.NaN
  const scalar = typeof value === 'object' && value !== null ? primitiveOf(value, 0) : value
  if (typeof scalar === 'string') scan(run, scalar.length)
  return Number(scalar)
}

type Order = -1 | 0 | 1

/** A longer text is no date. */
const longestDate = 100

/** Orders two values: texts by character, everything else by number, a date and a text as instants. */
export function compare(left: unknown, right: unknown, run: Run, accept: (order: Order) => boolean): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    scan(run, Math.min(left.length, right.length))
    return accept(orderOf(left, right))
  }
  const [a, b] = [instantOf(left, right, run), instantOf(right, left, run)]
  if (Number.isNaN(a) || Number.isNaN(b)) return false
  return accept(orderOf(a, b))
}

function orderOf<Value extends string | number>(left: Value, right: Value): Order {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function instantOf(value: unknown, other: unknown, run: Run): number {
  const isDate = typeof value === 'string' && (isDateValue(other) || other instanceof Date)
  if (!isDate) return toNumber(value, run)
  return value.length > longestDate ? Number.NaN : Date.parse(value)
}
