import { type EventSearch, limits } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import type { AnalysisQuery, SortBy } from '@platform/search'
import { z } from 'zod'
import { readAggregations } from './aggregations/read-aggregations.ts'
import { readQuery } from './clauses/read-query.ts'
import { fieldPath, newReading, onlyEntry, read, refusal } from './reading.ts'

/**
 * What a search asks of the store: its clauses as a filter, its aggregations, order and page. `now` is the one
 * instant of all its date math. Throws RequestValidationError naming the path of what isn't taken and what to use
 * instead.
 */
export function readSearch(search: EventSearch, now: Date): AnalysisQuery {
  const { limit, page, query, aggs, aggregations, sort = [], track_total_hits: countAll = false } = search
  refuseMappings(search.runtime_mappings)
  const reading = newReading(now)
  if (aggs !== undefined && aggregations !== undefined)
    throw refusal('aggregations', 'is another name of aggs: send only one of them')
  const offset = page * limit
  if (offset + limit > limits.searchDepth)
    throw refusal(
      'page',
      `reaches deeper than ${limits.searchDepth} documents: narrow the range of createdAt, ` +
        'or follow the feed by beforeId',
    )
  const asked = aggs ?? aggregations ?? {}
  const position = { path: aggs === undefined ? 'aggregations' : 'aggs', depth: 1, buckets: 1 }
  return {
    filter: query === undefined ? { all: [] } : readQuery(query, 'query', reading),
    aggregations: readAggregations(asked, position, reading),
    limit,
    offset,
    sort: readSort(sort),
    countAll,
  }
}

function refuseMappings(mappings: Record<string, unknown> | undefined): void {
  const [name, mapping] = Object.entries(mappings ?? {})[0] ?? []
  if (name === undefined) return
  const scripted = typeof mapping === 'object' && mapping !== null && 'script' in mapping
  throw refusal(
    `runtime_mappings.${name}`,
    scripted
      ? 'scripts do not run here: emit the value as a field of the payload'
      : 'is not needed: every field of the payload is found as it is',
  )
}

const Order = z.enum(['asc', 'desc'], 'must be asc or desc')
const SortOptions = z.strictObject({ order: Order.default('asc') })

/** The order of the documents of a search. Throws RequestValidationError for a field that no store orders by. */
const readSort = (sort: readonly unknown[]): SortBy[] =>
  sort.map((one, index) => {
    const path = `sort.${index}`
    const [name, value] = onlyEntry(one, path, 'field')
    const at = `${path}.${name}`
    if (name.startsWith('_') && name !== '_id')
      throw refusal(at, 'is not taken, as nothing is ranked: sort by createdAt')
    const field = fieldPath(name, at)
    if (!/^(createdAt|type|size|source\..+)$/.test(field))
      throw refusal(at, 'is not sorted by: use createdAt, type, size or a field of source')
    return {
      path: field,
      order: isRecord(value) ? read(SortOptions, value, at).order : read(Order, value, at),
    }
  })
