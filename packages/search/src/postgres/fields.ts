import { raw, type Sql } from '@platform/database'
import { isStorable, keysOf } from '../filter.ts'

/** Fields with a column (and mostly an index) of their own. */
export const columns: ReadonlyMap<string, Sql> = new Map([
  ['type', raw('type')],
  ['source.correlationId', raw('correlation_id')],
  ['createdAt', raw('created_at')],
])

/** A comparison would look into a list once more. */
export const IS_NO_LIST = '@.type() != "array"'
export const IS_SCALAR = `${IS_NO_LIST} && @.type() != "object"`

/**
 * The path of a field in a document; undefined where no document can have it. In the lax mode a list stands for its
 * elements on the way, and in the condition that follows.
 */
export function jsonPathOf(path: string): string | undefined {
  const keys = keysOf(path)
  if (!keys.every(isStorable)) return undefined
  return `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`
}
