import type { Filter } from '@platform/search'
import { z } from 'zod'
import { onlyEntry, type Reading, read, refusal, takeClauses } from '../reading.ts'
import { boolClause } from './bool-clause.ts'
import {
  existsClause,
  idsClause,
  prefixClause,
  termClause,
  termsClause,
  wildcardClause,
  withoutBoost,
} from './field-clauses.ts'
import { matchClause } from './match-clause.ts'
import { rangeClause } from './range-clause.ts'

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

/** Clauses of the query language that are known and not taken, and what to use instead. */
const refusedClauses: ReadonlyMap<string, string> = new Map([
  ['regexp', 'is not taken, as it reads all values: use prefix or wildcard'],
  ['query_string', 'is not taken, as it can name any field and index: use match on "text", or bool'],
  ['simple_query_string', 'is not taken: use match on "text", or bool'],
  ['multi_match', 'is not taken: use match on "text"'],
  ['match_phrase', 'is not taken: use match on "text"'],
  ['match_phrase_prefix', 'is not taken: use match on "text", which finds the beginnings of words'],
  ['match_bool_prefix', 'is not taken: use match on "text", which finds the beginnings of words'],
  ['fuzzy', 'is not taken: use prefix or wildcard'],
  ['script', 'scripts do not run here: filter by fields'],
  ['script_score', 'scripts do not run here, and nothing is ranked: use bool and sort'],
  ['function_score', 'is not taken, as nothing is ranked: use bool and sort'],
  ['constant_score', 'is not taken, as nothing is ranked: use bool with filter'],
  ['boosting', 'is not taken, as nothing is ranked: use bool'],
  ['dis_max', 'is not taken, as nothing is ranked: use bool with should'],
  ['terms_set', 'is not taken: use bool with should and minimum_should_match'],
  ['nested', 'is not taken: a path leads through lists by itself'],
  ['has_child', 'is not taken: events have no children'],
  ['has_parent', 'is not taken: events have no parents'],
  ['more_like_this', 'is not taken: use match on "text"'],
  ['percolate', 'is not taken: subscribe to events by a webhook instead'],
  ['wrapper', 'is not taken: write the query as JSON'],
  ['geo_distance', 'is not taken: use range on the numbers'],
  ['knn', 'is not taken: events have no vectors'],
])
