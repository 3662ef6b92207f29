import { isRecord } from '@platform/kernel'
import type { Filter } from '@platform/search'
import { z } from 'zod'
import { countWildcards, WILDCARDS_MAX } from '../../event-log/filter-cost.ts'
import { instantOf } from '../date-math.ts'
import { fieldPath, onlyEntry, type Reading, read, refusal, takeClauses } from '../reading.ts'

/** A value that fields are compared with. */
type Value = string | number | boolean

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

/** A field equal to one of the values. A date without a time means the whole span that it names. */
export function equalToAny(field: string, values: readonly Value[], reading: Reading, path: string): Filter {
  if (field !== 'createdAt') return { path: field, in: values }
  const spans = values.map((value): Filter => {
    if (typeof value === 'boolean') throw refusal(path, 'must be a date')
    const { now } = reading
    const atLeast = instantOf(value, { now, up: false, path })
    return { path: field, atLeast, atMost: instantOf(value, { now, up: true, path }) }
  })
  return { any: spans }
}

const TermOptions = z.strictObject({
  value: z.unknown(),
  case_insensitive: z.literal(false, 'must be false: texts are compared as they are').optional(),
})

/** `term`: the whole value of a field. */
export function termClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const value = comparable(isRecord(argument) ? read(TermOptions, argument, at).value : argument, at)
  takeClauses(reading, 1, at)
  return equalToAny(field, [value], reading, at)
}

/** `terms`: one of the values of a plain list. */
export function termsClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  if (!Array.isArray(argument))
    throw refusal(at, 'must be a list of values: values of other documents or indexes are not looked up')
  takeClauses(reading, Math.max(1, argument.length), at)
  const values = argument.map((value: unknown, index) => comparable(value, `${at}.${index}`))
  return equalToAny(field, values, reading, at)
}

const PrefixOptions = z.strictObject({
  value: z.string(),
  case_insensitive: z.literal(false, 'must be false: texts are compared as they are').optional(),
})

/** `prefix`: the beginning of a value. */
export function prefixClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const prefix = isRecord(argument) ? read(PrefixOptions, argument, at).value : read(z.string(), argument, at)
  if (prefix === '') throw refusal(at, 'must not be empty: use exists')
  if (prefix.includes('*'))
    throw refusal(at, 'must not contain "*", which is always a wildcard here: use term')
  if (field === 'createdAt') throw refusal(at, 'is a date: use range')
  takeClauses(reading, 1, at)
  return { path: field, like: `${prefix}*` }
}

const WildcardOptions = z.strictObject({
  value: z.string().optional(),
  wildcard: z.string().optional(),
  case_insensitive: z.literal(false, 'must be false: texts are compared as they are').optional(),
})

/** `wildcard`: `*` stands for any characters, but not at the beginning. */
export function wildcardClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const pattern = patternOf(argument, at)
  if (field === 'createdAt') throw refusal(at, 'is a date: use range')
  takeClauses(reading, 1, at)
  return pattern.includes('*') ? { path: field, like: pattern } : { path: field, in: [pattern] }
}

function patternOf(argument: unknown, path: string): string {
  const options = isRecord(argument) ? read(WildcardOptions, argument, path) : undefined
  const pattern =
    options === undefined ? read(z.string(), argument, path) : (options.value ?? options.wildcard)
  if (pattern === undefined) throw refusal(path, 'must have a value')
  if (pattern.startsWith('*'))
    throw refusal(path, 'must not begin with "*": all values would have to be read')
  if (pattern.includes('?')) throw refusal(path, 'must not contain "?": only "*" is a wildcard')
  if (pattern.includes('\\'))
    throw refusal(path, 'must not contain "\\": nothing is escaped here, use term or prefix')
  if (countWildcards(pattern) > WILDCARDS_MAX)
    throw refusal(path, `must have at most ${WILDCARDS_MAX} wildcards`)
  return pattern
}

/** `exists`: a field with a value that isn't null. */
export function existsClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field } = read(z.strictObject({ field: z.string() }), withoutBoost(clause), path)
  takeClauses(reading, 1, path)
  return { not: { path: fieldPath(field, `${path}.field`), missing: true } }
}

/** `ids`: events by their ids. */
export function idsClause(clause: unknown, path: string, reading: Reading): Filter {
  const { values } = read(z.strictObject({ values: z.array(z.string()) }), withoutBoost(clause), path)
  takeClauses(reading, Math.max(1, values.length), `${path}.values`)
  return { path: 'id', in: values }
}
