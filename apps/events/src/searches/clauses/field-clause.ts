import { fieldPath } from '../field.ts'
import { onlyEntry, refusal } from '../reading.ts'

/** A value that fields are compared with. */
export type Value = string | number | boolean

/**
 * `{ "<field>": argument }`, the form of most clauses; `boost` says nothing where nothing is ranked and is left out.
 */
export function fieldClause(
  clause: unknown,
  path: string,
): { field: string; argument: unknown; path: string } {
  const [name, argument] = onlyEntry(withoutBoost(clause), path, 'field')
  const at = `${path}.${name}`
  return { field: fieldPath(name, at), argument: withoutBoost(argument), path: at }
}

/** A clause without the weight it would have in a ranking. */
export function withoutBoost(clause: unknown): unknown {
  if (typeof clause !== 'object' || clause === null || Array.isArray(clause)) return clause
  const { boost, ...rest } = clause as Record<string, unknown>
  return typeof boost === 'number' ? rest : clause
}

/** A value to compare with; null and objects are none. */
export function comparable(value: unknown, path: string): Value {
  if (value === null) throw refusal(path, 'must be a value: find missing fields by must_not and exists')
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  throw refusal(path, 'must be a text, a number or a boolean')
}
