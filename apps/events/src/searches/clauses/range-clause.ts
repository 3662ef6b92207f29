import type { Filter } from '@platform/search'
import { z } from 'zod'
import { instantOf, isDateMath } from '../date-math.ts'
import { type Reading, read, refusal, takeClauses } from '../reading.ts'
import { fieldClause } from './field-clauses.ts'

const Bound = z.union([z.string().max(1000), z.number()], 'must be a text or a number').optional()
const Bounds = z.strictObject({
  gt: Bound,
  gte: Bound,
  lt: Bound,
  lte: Bound,
  format: z
    .literal(['strict_date_optional_time', 'strict_date_optional_time||epoch_millis', 'epoch_millis'])
    .optional(),
  time_zone: z
    .undefined('is not available: write the offset into the dates, as in 2026-01-31T00:00:00+01:00')
    .optional(),
})

const comparisons = [
  ['gt', 'above', true],
  ['gte', 'atLeast', false],
  ['lt', 'below', false],
  ['lte', 'atMost', true],
] as const

/** `range`: bounds of a date, of numbers or of texts. Date math is resolved by the server. */
export function rangeClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const bounds = read(Bounds, argument, at)
  takeClauses(reading, 1, at)
  const filter: Partial<Record<(typeof comparisons)[number][1], string | number>> = {}
  for (const [name, comparison, up] of comparisons) {
    const bound = bounds[name]
    if (bound === undefined) continue
    const isInstant = field === 'createdAt' || (typeof bound === 'string' && isDateMath(bound))
    filter[comparison] = isInstant ? instantOf(bound, { now: reading.now, up, path: `${at}.${name}` }) : bound
  }
  if (Object.keys(filter).length === 0) throw refusal(at, 'must have at least one of gt, gte, lt and lte')
  return { path: field, ...filter }
}
