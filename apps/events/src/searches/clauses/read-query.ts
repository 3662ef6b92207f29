import type { Filter } from '@platform/search'
import { z } from 'zod'
import { onlyEntry, type Reading, read, refusal, takeClauses } from '../reading.ts'
import { boolClause } from './bool-clause.ts'
import { existsClause } from './exists-clause.ts'
import { withoutBoost } from './field-clause.ts'
import { idsClause } from './ids-clause.ts'
import { matchClause } from './match-clause.ts'
import { prefixClause } from './prefix-clause.ts'
import { rangeClause } from './range-clause.ts'
import { refusedClauses } from './refused-clauses.ts'
import { termClause } from './term-clause.ts'
import { termsClause } from './terms-clause.ts'
import { wildcardClause } from './wildcard-clause.ts'

type Read = (clause: unknown, path: string, reading: Reading) => Filter

const constant =
  (filter: Filter): Read =>
  (clause, path, reading) => {
    read(z.strictObject({}), withoutBoost(clause), path)
    takeClauses(reading, 1, path)
    return filter
  }

const kinds: ReadonlyMap<string, Read> = new Map([
  ['term', termClause],
  ['terms', termsClause],
  ['range', rangeClause],
  ['exists', existsClause],
  ['prefix', prefixClause],
  ['match', matchClause],
  ['match_all', constant({ all: [] })],
  ['match_none', constant({ any: [] })],
  ['wildcard', wildcardClause],
  ['ids', idsClause],
])

const known = ['bool', ...kinds.keys()].join(', ')

/** The filter of a query. Throws RequestValidationError with the path of what isn't taken and what to use instead. */
export const readQuery = (query: unknown, path: string, reading: Reading): Filter =>
  readClause(query, path, reading, 0)

function readClause(clause: unknown, path: string, reading: Reading, depth: number): Filter {
  const [kind, argument] = onlyEntry(clause, path, 'clause')
  const at = `${path}.${kind}`
  if (kind === 'bool') return boolClause(argument, at, reading, { depth: depth + 1, readClause })
  const readKind = kinds.get(kind)
  if (readKind !== undefined) return readKind(argument, at, reading)
  throw refusal(at, refusedClauses.get(kind) ?? `is no clause that is taken: use ${known}`)
}
