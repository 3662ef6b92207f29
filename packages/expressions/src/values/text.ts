import { ExpressionError } from '../expression-error.ts'
import { checkDepth, grow, type Run, spend } from '../run.ts'
import { isDateValue } from './date-value.ts'
import { Pattern } from './pattern.ts'

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
  grow(run, typeof value === 'string' ? value.length + 2 : 5)
  if (typeof value !== 'object' || value === null) return
  checkDepth(run, depth)
  for (const key of Object.keys(value)) {
    if (!Array.isArray(value)) grow(run, key.length + 3)
    measure(Reflect.get(value, key), run, depth + 1)
  }
}
