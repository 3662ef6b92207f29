import { empty, join, raw, type Sql, sql } from '@platform/database'
import { BUCKETS_MAX } from '../aggregation.ts'
import type { Plan, PlanNode } from './analysis-plan.ts'
import { ReadFields } from './analysis-plan.ts'
import {
  isBucketed,
  isCounted,
  membersOf,
  numbersOf,
  orderOf,
  partsOfKey,
  sizeOf,
  textsOf,
} from './bucket-sql.ts'
import { bucketsBetween } from './date-buckets.ts'
import type { AmongVocabularies } from './wanted.ts'

/** The number of the row that counts all documents. */
export const TOTAL = -1

const COUNT_OF_ALL = sql`
  select ${TOTAL}::int, array[]::text[], count(*), null::numeric, null::float8, 0::bigint from base`

/**
 * One statement for all aggregations. `base` holds what they read of each document. A node with buckets has three
 * tables: `e` its documents with their keys `k1, k2, …`, `b` the buckets that are returned, `r` the documents in
 * those. Every row is a bucket or a number: node, keys, count, the count of all buckets beside it, value.
 */
export function statementOf(plan: Plan, source: Sql, countAll: boolean, among: AmongVocabularies): Sql {
  const fields = new ReadFields(among)
  const tables = plan.nodes.filter(isBucketed).flatMap((node) => tablesOf(node, fields))
  const results = plan.nodes.map((node) => (isBucketed(node) ? bucketsOf(node) : numberOf(node, fields)))
  const totals = countAll ? [COUNT_OF_ALL] : []
  const base = sql`base as (select sequence ${join([empty, ...fields.list()], '')} from ${source})`
  return sql`
    with ${join([base, ...tables], ', ')}
    select node, keys, count, total, value from (${join([...totals, ...results], ' union all ')})
      as results (node, keys, count, total, value, place)
    order by node, place limit ${BUCKETS_MAX + 2}`
}

const table = (letter: string, { number }: PlanNode): Sql => raw(`${letter}${number}`)

const keysDownTo = (depth: number): string[] => Array.from({ length: depth }, (_, level) => `k${level + 1}`)

/** The names of keys, each followed by a comma. */
const leading = (depth: number): Sql =>
  raw(
    keysDownTo(depth)
      .map((key) => `${key}, `)
      .join(''),
  )

const rowsOf = (node: PlanNode | undefined): Sql => (node === undefined ? raw('base') : table('r', node))

function tablesOf(node: PlanNode, fields: ReadFields): Sql[] {
  const e = table('e', node)
  const c = table('c', node)
  const b = table('b', node)
  const r = table('r', node)
  const { depth } = node
  const parts = partsOfKey(node)
  const partNames = raw(parts.map((part) => `, ${part}`).join(''))
  const key = raw(`k${depth + 1}`)
  const partition = depth === 0 ? empty : sql`partition by ${raw(keysDownTo(depth).join(', '))}`
  const expanded = sql`${e} as (
    select r.*, m.key as ${key} ${partNames}
    from ${rowsOf(node.parent)} as r cross join lateral (${membersOf(node, fields)}) as m)`
  const counted = sql`${c} as (
    select ${leading(depth)} ${key} ${partNames}, count(*) as count from ${e}
    where ${isCounted(node, key)} group by ${leading(depth)} ${key} ${partNames})`
  const kept = sql`${b} as (
    select * from (
      select ${leading(depth)} ${key}, count, sum(count) over (${partition}) as total,
        row_number() over (${partition} order by ${orderOf(node, key)}) as place
      from ${withEmpty(node, c)} as counted) as placed
    where place <= ${sizeOf(node)})`
  const rows = sql`${r} as (
    select ${e}.* from ${e} join ${b} using (${raw(keysDownTo(depth + 1).join(', '))}))`
  return node.children.length === 0 ? [expanded, counted, kept] : [expanded, counted, kept, rows]
}

/** With the empty buckets between the first and the last, where these are asked for. */
function withEmpty({ aggregation, depth }: PlanNode, counted: Sql): Sql {
  if (!('dateHistogram' in aggregation) || aggregation.dateHistogram.minCount > 0) return counted
  const key = raw(`k${depth + 1}`)
  const groups = depth === 0 ? empty : sql`group by ${raw(keysDownTo(depth).join(', '))}`
  const starts = bucketsBetween(sql`low`, sql`high`, aggregation.dateHistogram.interval)
  return sql`(
    select ${leading(depth)} ${key}, coalesce(count, 0) as count from (
      select ${leading(depth)} start::text as ${key} from (
        select ${leading(depth)} min(${key}::bigint) as low, max(${key}::bigint) as high from ${counted} ${groups}
        ) as span cross join lateral (${starts}) as starts
      ) as all_starts left join ${counted} using (${raw(keysDownTo(depth + 1).join(', '))}))`
}

const bucketsOf = (node: PlanNode): Sql => sql`
  select ${node.number}::int, array[${raw(keysDownTo(node.depth + 1).join(', '))}]::text[],
    count, total, null::float8, place
  from ${table('b', node)}`

function numberOf(node: PlanNode, fields: ReadFields): Sql {
  const { aggregation, depth } = node
  const groups = depth === 0 ? empty : sql`group by ${raw(keysDownTo(depth).join(', '))}`
  const head = sql`select ${node.number}::int, array[${raw(keysDownTo(depth).join(', '))}]::text[]`
  const rows = rowsOf(node.parent)
  if ('cardinality' in aggregation) {
    const texts = textsOf(fields, aggregation.cardinality.path)
    return sql`${head}, null::bigint, null::numeric, count(distinct m.key)::float8, 0::bigint
      from ${rows} as r cross join lateral (${texts}) as m ${groups}`
  }
  if (!('metric' in aggregation)) throw new Error('Only numbers have no buckets.')
  const numbers = numbersOf(fields, aggregation.path)
  const value = sql`${raw(aggregation.metric)}(m.number)::float8`
  return sql`${head}, null::bigint, null::numeric, ${value}, 0::bigint
    from ${rows} as r cross join lateral (${numbers}) as m ${groups}`
}
