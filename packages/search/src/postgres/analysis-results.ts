import {
  type AggregationResult,
  type AggregationResults,
  BUCKETS_MAX,
  type Bucket,
  DISTINCT_MAX,
} from '../aggregation.ts'
import { SearchError } from '../search.ts'
import type { PlanNode } from './analysis-plan.ts'
import { isBucketed } from './bucket-sql.ts'

/** A row of the statement: a bucket or a number. */
export interface AnalysisRow {
  node: number
  /** Of the buckets from the top down to this one. */
  keys: string[]
  count: number
  /** Documents of all buckets beside this one, a text where it is a sum. */
  total: string | null
  value: number | null
}

/** Rows by node and by the keys above them. */
type RowsBelow = Map<string, AnalysisRow[]>

const groupOf = (node: number, keys: readonly string[]): string => JSON.stringify([node, ...keys])

/** Builds the tree of results. Throws SearchError `TOO_MANY_VALUES`. */
export function resultsOf(roots: readonly PlanNode[], rows: readonly AnalysisRow[]): AggregationResults {
  if (rows.length > BUCKETS_MAX + 1) throw tooMany(`more than ${BUCKETS_MAX} buckets`)
  const below: RowsBelow = new Map()
  const numbers = new Set<number>()
  const walk = (node: PlanNode): void => {
    if (!isBucketed(node)) numbers.add(node.number)
    node.children.forEach(walk)
  }
  roots.forEach(walk)
  for (const row of rows) {
    const group = groupOf(row.node, numbers.has(row.node) ? row.keys : row.keys.slice(0, -1))
    below.set(group, [...(below.get(group) ?? []), row])
  }
  return resultsBelow(roots, [], below)
}

const resultsBelow = (
  nodes: readonly PlanNode[],
  keys: readonly string[],
  below: RowsBelow,
): AggregationResults => Object.fromEntries(nodes.map((node) => [node.name, resultOf(node, keys, below)]))

function resultOf(node: PlanNode, keys: readonly string[], below: RowsBelow): AggregationResult {
  const rows = below.get(groupOf(node.number, keys)) ?? []
  const { aggregation } = node
  if ('filters' in aggregation) return filtersOf(node, Object.keys(aggregation.filters), keys, below)
  if ('composite' in aggregation) {
    const names = aggregation.composite.sources.map(({ name }) => name)
    return compositeOf(node, names, rows, below)
  }
  if ('terms' in aggregation) {
    const buckets = rows.map((row) => bucketOf(node, row, row.keys.at(-1) ?? '', below))
    const kept = buckets.reduce((sum, { count }) => sum + count, 0)
    return { buckets, otherCount: Number(rows[0]?.total ?? 0) - kept }
  }
  if ('dateHistogram' in aggregation) {
    if (rows.length > DISTINCT_MAX) throw tooMany(`more than ${DISTINCT_MAX} spans of time`)
    return { buckets: rows.map((row) => bucketOf(node, row, Number(row.keys.at(-1)), below)) }
  }
  return { value: numberOf(node, rows[0]?.value ?? null) }
}

function numberOf({ aggregation }: PlanNode, value: number | null): number | null {
  const isCount = 'cardinality' in aggregation
  if (isCount && (value ?? 0) > DISTINCT_MAX) throw tooMany(`more than ${DISTINCT_MAX} different values`)
  return isCount || ('metric' in aggregation && aggregation.metric === 'sum') ? (value ?? 0) : value
}

const bucketOf = (node: PlanNode, row: AnalysisRow, key: string | number, below: RowsBelow): Bucket => ({
  key,
  count: row.count,
  ...partsOf(node, row.keys, below),
})

const partsOf = (node: PlanNode, keys: readonly string[], below: RowsBelow) =>
  node.children.length === 0 ? {} : { aggregations: resultsBelow(node.children, keys, below) }

function filtersOf(
  node: PlanNode,
  names: string[],
  keys: readonly string[],
  below: RowsBelow,
): AggregationResult {
  const rows = below.get(groupOf(node.number, keys)) ?? []
  const named = names.map((name, index) => {
    const own = [...keys, String(index)]
    const count = rows.find((row) => row.keys.at(-1) === String(index))?.count ?? 0
    return [name, { count, ...partsOf(node, own, below) }] as const
  })
  return { filters: Object.fromEntries(named) }
}

function compositeOf(
  node: PlanNode,
  names: string[],
  rows: AnalysisRow[],
  below: RowsBelow,
): AggregationResult {
  const composite = rows.map((row) => {
    const values = JSON.parse(row.keys.at(-1) ?? '[]') as (string | number)[]
    const key = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
    return { key, count: row.count, ...partsOf(node, row.keys, below) }
  })
  const afterKey = composite.at(-1)?.key
  return { composite, ...(afterKey === undefined ? {} : { afterKey }) }
}

const tooMany = (what: string) =>
  new SearchError(`The answer would hold ${what}; narrow the filter down or ask in pages (composite).`, {
    unavailable: false,
    code: 'TOO_MANY_VALUES',
  })
