import type { Run } from '../run.ts'
import { keysOf } from '../values/properties.ts'

type Parameters = readonly unknown[]

/** Whether the value is a list. */
export const isArray = ([value]: Parameters) => Array.isArray(value)

/** Whether the value is an object and no list. */
export const isObject = ([value]: Parameters) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the value is a text. */
export const isString = ([value]: Parameters) => typeof value === 'string'

/** Whether the value is a number and not only a text that looks like one. */
export const isNumber = ([value]: Parameters) => typeof value === 'number' && !Number.isNaN(value)

/** Elements of a list, characters of a text, keys of an object, 0 for everything else. */
export function length([value]: Parameters, run: Run): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return keysOf(value, run).length
}
