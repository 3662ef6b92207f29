import type { Filter } from '@platform/search'
import { z } from 'zod'
import { DEPTH_MAX, type Reading, read, refusal, takeClauses } from '../reading.ts'
import { withoutBoost } from './field-clauses.ts'

/** Reads a clause of any kind, at a depth of `bool` clauses. */
export type ReadClause = (clause: unknown, path: string, reading: Reading, depth: number) => Filter

const Clauses = z.unknown().optional()
const Bool = z.strictObject({
  must: Clauses,
  filter: Clauses,
  should: Clauses,
  must_not: Clauses,
  minimum_should_match: z.int('must be a whole number').min(0, 'must not be negative').optional(),
})

/** `bool`: all of `must` and `filter`, enough of `should`, none of `must_not`. */
export function boolClause(
  clause: unknown,
  path: string,
  reading: Reading,
  { depth, readClause }: { depth: number; readClause: ReadClause },
): Filter {
  if (depth > DEPTH_MAX)
    throw refusal(path, `is nested deeper than the ${DEPTH_MAX} levels of bool that are taken`)
  const bool = read(Bool, withoutBoost(clause), path)
  const part = (name: 'must' | 'filter' | 'should' | 'must_not'): Filter[] =>
    listOf(bool[name]).map((one, index) => {
      const at = Array.isArray(bool[name]) ? `${path}.${name}.${index}` : `${path}.${name}`
      return readClause(one, at, reading, depth)
    })
  const needed = [...part('must'), ...part('filter')]
  const should = part('should')
  const least = bool.minimum_should_match ?? (needed.length === 0 && should.length > 0 ? 1 : 0)
  const enough = atLeast(least, should, () => takeCombinations(reading, should.length, least, path))
  const none = part('must_not').map((one): Filter => ({ not: one }))
  return { all: [...needed, ...enough, ...none] }
}

const listOf = (value: unknown): unknown[] => {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}

/** At least `count` of the filters hold; a filter knows only "all" and "any", so the others are written out. */
function atLeast(count: number, filters: Filter[], beforeWritingOut: () => void): Filter[] {
  if (count === 0) return []
  if (count > filters.length) return [{ any: [] }]
  if (count === 1) return [{ any: filters }]
  if (count === filters.length) return filters
  beforeWritingOut()
  return [{ any: combinations(filters, count).map((all) => ({ all })) }]
}

function takeCombinations(reading: Reading, of: number, count: number, path: string): void {
  let written = count
  for (let index = 0; index < count; index += 1) written = (written * (of - index)) / (index + 1)
  takeClauses(reading, written, `${path}.minimum_should_match`)
}

function combinations<T>(items: T[], count: number): T[][] {
  if (count === 0) return [[]]
  return items.flatMap((item, index) =>
    combinations(items.slice(index + 1), count - 1).map((rest) => [item, ...rest]),
  )
}
