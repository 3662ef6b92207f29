import { join, type Queries, type Sql, sql } from '@platform/database'
import type { Options } from '@platform/expressions'
import { type Collection, collectionStore } from './collection-store.ts'
import { exactCondition, type Query } from './finds.ts'
import { ordersOf } from './query-store.ts'

/** Most groups and different values of an answer. */
const MOST = 1000

const at = (path: string): Sql => sql`(r.data #> ${path.split('.')}::text[])`

/** The different values of a property. */
export async function distinctValues(
  tx: Queries,
  collection: Collection,
  {
    query,
    field,
    opts = {},
  }: {
    readonly query?: Query | undefined
    readonly field: string
    readonly opts?: { readonly count?: boolean | undefined; readonly sort?: 1 | -1 | undefined } | undefined
  },
  options: Options,
): Promise<unknown[]> {
  const path = `$${field
    .split('.')
    .map((one) => `.${JSON.stringify(one)}`)
    .join('')}[*]`
  const order = join(ordersOf(sql`v.value`, opts.sort), ', ')
  const rows = await collectionStore(tx).select<{ value: unknown; count: number }>(
    collection,
    await exactCondition(tx, collection, query, options),
    (fitting) => sql`
      select v.value, count(*) as count from (select r.data from ${fitting}) r
      cross join lateral jsonb_path_query(r.data, ${path}::jsonpath, '{}', true) v (value)
      group by v.value order by ${order} limit ${MOST}`,
  )
  return opts.count === true ? rows : rows.map(({ value }) => value)
}

interface Step {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max'
  readonly inputField?: string | undefined
  readonly outputField: string
}

/** One object for each group. */
export async function aggregate(
  tx: Queries,
  collection: Collection,
  {
    query,
    groupBy = [],
    steps,
  }: {
    readonly query?: Query | undefined
    readonly groupBy?: readonly string[] | undefined
    readonly steps: readonly Step[]
  },
  options: Options,
): Promise<Record<string, unknown>[]> {
  // What is null is as good as missing, and stands in one group with it.
  const groups = groupBy.map((path, index) => sql`nullif(${at(path)}, 'null') as g${digits(index)}`)
  const computed = steps.map((step, index) => sql`${computedBy(step)} as s${digits(index)}`)
  const rows = await collectionStore(tx).select<Record<string, unknown>>(
    collection,
    await exactCondition(tx, collection, query, options),
    (fitting) => inGroups(sql`select ${join([...groups, ...computed], ', ')} from ${fitting}`, groups.length),
  )
  return rows.map((row) =>
    Object.fromEntries([
      ...groupBy.map((path, index) => [path, row[`g${index}`]]),
      ...steps.map(({ outputField }, index) => [outputField, row[`s${index}`]]),
    ]),
  )
}

/** Groups in the order of their values; those without one are the last. */
function inGroups(select: Sql, count: number): Sql {
  if (count === 0) return sql`${select} limit 1`
  const indexes = Array.from({ length: count }, (_, index) => index)
  const positions = indexes.map((index) => digits(index + 1))
  const order = indexes.flatMap((index) => {
    const value = sql`g.g${digits(index)}`
    return [sql`${value} is null`, ...ordersOf(value)]
  })
  return sql`
    select * from (${select} group by ${join(positions, ', ')}) g order by ${join(order, ', ')} limit ${MOST}`
}

/** What is computed of no records. */
export const aggregateOfNone = ({
  groupBy = [],
  steps,
}: {
  readonly groupBy?: readonly string[] | undefined
  readonly steps: readonly Step[]
}): Record<string, unknown>[] =>
  groupBy.length > 0
    ? []
    : [
        Object.fromEntries(
          steps.map(({ type, outputField }) => [outputField, type === 'sum' || type === 'count' ? 0 : null]),
        ),
      ]

const DIGITS = [sql`0`, sql`1`, sql`2`, sql`3`, sql`4`, sql`5`, sql`6`, sql`7`, sql`8`, sql`9`]
const digits = (index: number): Sql =>
  index < 10 ? (DIGITS[index] ?? sql`0`) : join([digits(Math.floor(index / 10)), digits(index % 10)], '')

/** Numbers are computed with; the least and the greatest are of texts where there are no numbers. */
function computedBy({ type, inputField }: Step): Sql {
  if (inputField === undefined) return type === 'count' ? sql`count(*)` : sql`null`
  const value = at(inputField)
  const number = sql`case when jsonb_typeof(${value}) = 'number' then ${value}::numeric end`
  const text = sql`case when jsonb_typeof(${value}) = 'string' then ${value} #>> '{}' end collate "C"`
  if (type === 'count') return sql`count(case when jsonb_typeof(${value}) <> 'null' then 1 end)`
  if (type === 'sum') return sql`coalesce(sum(${number}), 0)::float8`
  if (type === 'avg') return sql`avg(${number})::float8`
  return type === 'min'
    ? sql`coalesce(to_jsonb(min(${number})), to_jsonb(min(${text})))`
    : sql`coalesce(to_jsonb(max(${number})), to_jsonb(max(${text})))`
}
