import { isRecord } from '@platform/kernel'
import type { Filter } from '@platform/search'
import { z } from 'zod'
import { onlyEntry, type Reading, read, takeClauses } from '../reading.ts'
import { comparable, equalToAny, fieldClause, withoutBoost } from './field-clauses.ts'

/** Names that mean the whole event and not one field of it. */
const wholeEvent: ReadonlySet<string> = new Set(['text', '_all'])

const Options = z.strictObject({
  query: z.unknown(),
  operator: z.literal(['and', 'or', 'AND', 'OR']).optional(),
})

/**
 * `match`: the whole value of a field; on `text` (or `_all`) words that are anywhere in the event, all of them unless
 * `operator` is
 * `or`.
 */
export function matchClause(clause: unknown, path: string, reading: Reading): Filter {
  const [name, argument] = onlyEntry(withoutBoost(clause), path, 'field')
  if (wholeEvent.has(name)) return words(withoutBoost(argument), `${path}.${name}`, reading)
  const { field, argument: value, path: at } = fieldClause({ [name]: argument }, path)
  takeClauses(reading, 1, at)
  return equalToAny(
    field,
    [comparable(isRecord(value) ? read(Options, value, at).query : value, at)],
    reading,
    at,
  )
}

function words(argument: unknown, path: string, reading: Reading): Filter {
  const { query, operator = 'and' } = isRecord(argument) ? read(Options, argument, path) : { query: argument }
  const text = String(comparable(query, path)).slice(0, 10_000)
  const alternatives =
    operator.toLowerCase() === 'or' ? text.split(/\s+/u).filter((one) => one !== '') : [text]
  takeClauses(reading, Math.max(1, alternatives.length), path)
  const [first, ...others] = alternatives.map((one): Filter => ({ text: one }))
  return first !== undefined && others.length === 0
    ? first
    : { any: first === undefined ? [] : [first, ...others] }
}
