import { join, raw, type Sql, sql } from '@platform/database'
import { type CompositeKey, type CompositeSource, DISTINCT_MAX } from '../aggregation.ts'
import { unsupported } from '../aggregation-checks.ts'
import type { PlanNode, ReadFields } from './analysis-plan.ts'
import { bucketOf } from './date-buckets.ts'

/** True for aggregations that put documents into buckets; the others result in one number. */
export const isBucketed = ({ aggregation }: PlanNode): boolean =>
  !('cardinality' in aggregation || 'metric' in aggregation)

/** The different values of a field as texts, in a column `key`. */
export const textsOf = (fields: ReadFields, path: string): Sql =>
  sql`select leaf as key from (${fields.leaves(path, 'any')}) as leaves`

/** The different numbers of a field. */
export const numbersOf = (fields: ReadFields, path: string): Sql =>
  sql`select leaf::numeric as number from (${fields.leaves(path, 'number')}) as leaves`

/** SQL that selects the keys of the buckets a document `r` belongs to: `key`, and the parts of a composite one. */
export function membersOf({ aggregation, number }: PlanNode, fields: ReadFields): Sql {
  if ('terms' in aggregation) return textsOf(fields, aggregation.terms.path)
  if ('dateHistogram' in aggregation) {
    const { path, interval } = aggregation.dateHistogram
    return sql`select start::text as key from (${startsOf(fields, path, interval)}) as starts`
  }
  if ('filters' in aggregation) {
    const cases = Object.values(aggregation.filters).map(
      (filter, index) => sql`(${String(index)}::text, r.${fields.holds(filter)})`,
    )
    if (cases.length === 0) return sql`select null::text as key where false`
    return sql`select key from (values ${join(cases)}) as cases (key, holds) where holds`
  }
  if ('composite' in aggregation) return combinationsOf(aggregation.composite.sources, number, fields)
  throw new Error('Only aggregations with buckets have members.')
}

type DatesOf = Extract<CompositeSource, { dateHistogram: unknown }>['dateHistogram']

/** The only start of a field with one value may be null, which saves computing it twice. */
function startsOf(fields: ReadFields, path: string, interval: DatesOf['interval']): Sql {
  const start = bucketOf(sql`leaf`, interval)
  const starts = sql`select ${start} as start from (${fields.leaves(path, 'string')}) as leaves`
  return fields.isSingle(path)
    ? starts
    : sql`select distinct start from (${starts}) as all_starts where start is not null`
}

function combinationsOf(sources: readonly CompositeSource[], number: number, fields: ReadFields): Sql {
  const names = sources.map((_, index) => raw(`s${number}_${index}`))
  const tables = sources.map((source, index) => {
    const values =
      'terms' in source
        ? textsOf(fields, source.terms.path)
        : startsOf(fields, source.dateHistogram.path, source.dateHistogram.interval)
    return sql`(${values}) as ${raw(`t${index}`)} (${names[index] ?? raw('none')})`
  })
  return sql`select jsonb_build_array(${join(names)})::text as key, ${join(names)}
    from ${join(tables, ' cross join lateral ')}`
}

/** The columns that the key of a composite bucket is made of. */
export const partsOfKey = ({ aggregation, number }: PlanNode): string[] =>
  'composite' in aggregation ? aggregation.composite.sources.map((_, index) => `s${number}_${index}`) : []

/** How buckets beside each other are ordered. */
export function orderOf(node: PlanNode, key: Sql): Sql {
  const { aggregation } = node
  if ('dateHistogram' in aggregation) return sql`${key}::bigint`
  if ('terms' in aggregation && aggregation.terms.order === 'count')
    return sql`count desc, ${key} collate "C"`
  if (!('composite' in aggregation)) return sql`${key} collate "C"`
  const parts = partsOfKey(node)
  return join(
    aggregation.composite.sources.map(
      (source, index) => sql`${comparable(parts[index], source)} ${raw(source.order)}`,
    ),
  )
}

/** Buckets that are returned beside each other; one more than may be where too many are to be noticed. */
export function sizeOf({ aggregation }: PlanNode): number {
  if ('terms' in aggregation) return aggregation.terms.size
  return 'composite' in aggregation ? aggregation.composite.size : DISTINCT_MAX + 1
}

/** The condition that a key is one, and a composite one comes after the last of the page before. */
export function isCounted(node: PlanNode, key: Sql): Sql {
  const parts = partsOfKey(node).map((part) => sql`${raw(part)} is not null`)
  return join([sql`${key} is not null`, ...parts, afterCondition(node)], ' and ')
}

/** The condition on the parts of a composite key that it comes after the last one of the page before. */
function afterCondition(node: PlanNode): Sql {
  const { aggregation } = node
  if (!('composite' in aggregation) || aggregation.composite.after === undefined) return sql`true`
  const { sources, after } = aggregation.composite
  const parts = partsOfKey(node)
  return sources.reduceRight<Sql>((rest, source, index) => {
    const part = comparable(parts[index], source)
    const value = valueIn(after, source)
    const isLater = source.order === 'asc' ? sql`${part} > ${value}` : sql`${part} < ${value}`
    return sql`(${isLater} or (${part} = ${value} and ${rest}))`
  }, sql`false`)
}

const comparable = (part: string | undefined, source: CompositeSource): Sql =>
  raw('terms' in source ? `${part} collate "C"` : `${part}`)

/** The value of one source in the key of the page before. */
function valueIn(after: CompositeKey, source: CompositeSource): Sql {
  const value = after[source.name]
  if ('terms' in source && value !== undefined)
    return sql`${String(value).replaceAll('\0', '').toWellFormed()}::text`
  if (typeof value === 'number' && Number.isSafeInteger(value)) return sql`${value}::bigint`
  throw unsupported(
    `"after" must hold the value of "${source.name.slice(0, 100)}" as the page before told it.`,
  )
}
