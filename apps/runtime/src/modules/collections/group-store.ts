import { join, type Queries, type Sql, sql } from '@platform/database'
import type { Options } from '@platform/expressions'
import { type Collection, collectionStore } from './collection-store.ts'
import { exactCondition, type Query } from './finds.ts'

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
  const rows = await collectionStore(tx).select<{ value: unknown; count: number }>(
    collection,
    sql`select v.value, count(*) as count from runtime.records r
      cross join lateral jsonb_path_query(r.data, ${path}::jsonpath, '{}', true) v (value)`,
    await exactCondition(tx, collection, query, options),
    opts.sort === -1
      ? sql`group by v.value order by v.value desc limit ${MOST}`
      : sql`group by v.value order by v.value limit ${MOST}`,
  )
  return opts.count === true ? rows : rows.map(({ value }) => value)
}

function grouped(count: number): Sql {
  const positions = join(
    Array.from({ length: count }, (_, index) => digits(index + 1)),
    ', ',
  )
  return sql`group by ${positions} order by ${positions} limit ${MOST}`
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
  const groups = groupBy.map((path, index) => sql`${at(path)} as g${digits(index)}`)
  const computed = steps.map((step, index) => sql`${computedBy(step)} as s${digits(index)}`)
  const rows = await collectionStore(tx).select<Record<string, unknown>>(
    collection,
    sql`select ${join([...groups, ...computed], ', ')} from runtime.records r`,
    await exactCondition(tx, collection, query, options),
    groupBy.length === 0 ? sql`limit 1` : grouped(groupBy.length),
  )
  return rows.map((row) =>
    Object.fromEntries([
      ...groupBy.map((path, index) => [path, row[`g${index}`]]),
      ...steps.map(({ outputField }, index) => [outputField, row[`s${index}`]]),
    ]),
  )
}

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
