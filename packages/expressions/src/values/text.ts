import { ExpressionError } from '../expression-error.ts'
import { checkDepth, grow, type Run, scan, spend } from '../run.ts'
import { isDateValue } from './date-value.ts'
import { jsonLength } from './encoded-length.ts'
import { Pattern } from './pattern.ts'
import { keysOf } from './properties.ts'

/** How a value looks inside text: nothing for null and undefined, JSON for lists and objects. */
export function toText(value: unknown, run: Run): string {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') return objectToText(value, run)
  return typeof value === 'function' || typeof value === 'symbol' ? '' : String(value)
}

function objectToText(value: object, run: Run): string {
  if (isDateValue(value)) return value.iso
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString()
  return value instanceof Pattern ? value.toString() : (toJson(value, run) ?? '')
}

/** JSON of plain data; measured first, because shared references can make a small value explode when written out. */
export function toJson(value: unknown, run: Run): string | undefined {
  measure(value, run, 0)
  try {
    return JSON.stringify(value)
  } catch (error) {
    throw new ExpressionError('The value cannot be written as JSON.', 0, 'InvalidExpressionSyntax', error)
  }
}

function measure(value: unknown, run: Run, depth: number): void {
  spend(run, 1)
  grow(run, scalarLength(value, run))
  if (typeof value !== 'object' || value === null) return
  checkDepth(run, depth)
  if (Array.isArray(value)) {
    for (const item of value) measure(item, run, depth + 1)
    return
  }
  for (const key of keysOf(value, run)) {
    grow(run, jsonLength(key) + 2)
    measure(Reflect.get(value, key), run, depth + 1)
  }
}

// Brackets and the comma behind a value count as well.
function scalarLength(value: unknown, run: Run): number {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 10_000 ? 6 : 26
  if (typeof value !== 'string') return 6
  scan(run, value.length)
  return jsonLength(value) + 1
}
