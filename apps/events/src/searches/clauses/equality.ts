import type { Filter } from '@platform/search'
import { instantOf } from '../date-math.ts'
import { type Reading, refusal } from '../reading.ts'
import type { Value } from './field-clause.ts'

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
