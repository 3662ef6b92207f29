import { byCodePoints, isRecord } from '@platform/kernel'
import { decimalText } from './decimals.ts'

/** JSON as PostgreSQL keeps it: names of fields in an order of their own, shorter ones first. */
export function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kept)
  if (!isRecord(value)) return value
  const names = Object.keys(value).sort(
    (a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || byCodePoints(a, b),
  )
  return Object.fromEntries(names.map((name) => [name, kept(value[name])]))
}

/** What stands at a path: an item of a list by its place, also one counted from the end. */
export const valueAt = (data: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return /^-?\d{1,9}$/.test(key) ? value.at(Number(key)) : undefined
    return fieldOf(value, key)
  }, data)

/** All that stands at a path through lists, each item of a list by itself. */
export const itemsAt = (data: unknown, path: string): unknown[] =>
  path
    .split('.')
    .reduce<unknown[]>(
      (values, key) => values.flat().flatMap((one) => (hasField(one, key) ? [fieldOf(one, key)] : [])),
      [data],
    )
    .flat()

const hasField = (value: unknown, key: string): boolean => isRecord(value) && Object.hasOwn(value, key)
const fieldOf = (value: unknown, key: string): unknown =>
  isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** Their order. */
const KINDS = ['null', 'number', 'string', 'object', 'array', 'boolean']

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Nothing, numbers, texts, objects, lists, false and true. */
export function compareValues(a: unknown, b: unknown): number {
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return KINDS.indexOf(kind) - KINDS.indexOf(kindOf(b))
  if (kind === 'null') return 0
  return kind === 'number' ? Number(a) - Number(b) : byCodePoints(textOf(a), textOf(b))
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : jsonOf(value))

/** As PostgreSQL writes it. */
function jsonOf(value: unknown): string {
  if (typeof value === 'number') return decimalText(value)
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${jsonOf(one)}`)
  return `{${fields.join(', ')}}`
}
