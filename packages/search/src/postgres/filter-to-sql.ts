import { join, raw, type Sql, sql } from '@platform/database'
import { type Filter, isStorable, type Scalar, textOf } from '../filter.ts'
import { columns, IS_NO_LIST, IS_SCALAR, jsonPathOf } from './fields.ts'
import { HAS_NO_TERMS, hasText, maybeEquals } from './search-vector.ts'
import { type AmongVocabularies, toCondition } from './wanted.ts'

type Bounds = Extract<Filter, { above?: unknown }>
type Equality = Extract<Filter, { in: unknown }>

/** Values of one field that are looked up in the index. */
const VALUES_IN_PATH = 500

/**
 * The condition of a filter on `search.documents`; true where `matches` is. Every value is a parameter; `among` knows
 * the vocabularies of the streams that are searched.
 */
export function toSql(filter: Filter, among: AmongVocabularies): Sql {
  const combine = (filters: Filter[], separator: string, none: Sql): Sql =>
    filters.length === 0
      ? none
      : join(
          filters.map((one) => sql`(${toSql(one, among)})`),
          separator,
        )
  if ('all' in filter) return combine(filter.all, ' and ', sql`true`)
  if ('any' in filter) return combine(filter.any, ' or ', sql`false`)
  // Unknown is not true.
  if ('not' in filter) return sql`(${toSql(filter.not, among)}) is not true`
  if ('text' in filter) return hasWords(filter.text, among)
  const column = columns.get(filter.path)
  return column === undefined ? atPath(filter, among) : inColumn(filter, column)
}

function inColumn(filter: Extract<Filter, { path: string }>, column: Sql): Sql {
  if ('missing' in filter) return sql`${column} is null`
  if ('in' in filter) return equalsOneOf(column, filter.in.map(textOf).filter(isStorable))
  if ('like' in filter) return likeOf(column, filter.like)
  const bounds = boundsOf(filter)
  // Columns are texts, and no text is within numbers.
  if (bounds.some(({ value }) => typeof value === 'number' || !isStorable(value))) return sql`false`
  return conjunction(
    bounds.map(({ operator, value }) => sql`${column} ${raw(operator)} ${value}::text collate "C"`),
  )
}

/** One value is written as such: then the index gives the documents in the order of the stream, and few are read. */
function equalsOneOf(column: Sql, [first, ...others]: string[]): Sql {
  if (first === undefined) return sql`false`
  if (others.length === 0) return sql`${column} = ${first}`
  return sql`${column} = any(${[first, ...others]}::text[])`
}

function atPath(filter: Extract<Filter, { path: string }>, among: AmongVocabularies): Sql {
  const path = jsonPathOf(filter.path)
  if (path === undefined) return 'missing' in filter ? sql`true` : sql`false`
  if ('missing' in filter) return sql`not jsonb_path_exists(document, ${`${path} ? (@ != null)`}::jsonpath)`
  if ('in' in filter) return equalsAtPath(filter, path, among)
  if ('like' in filter) return likeAtPath(path, filter.like)
  const bounds = boundsOf(filter)
  if (bounds.some(({ value }) => typeof value === 'string' && !isStorable(value))) return sql`false`
  const conditions = bounds.map(({ operator, name }) => `@ ${operator} $${name}`).join(' && ')
  const values = JSON.stringify(Object.fromEntries(bounds.map(({ name, value }) => [name, value])))
  if (conditions === '') return sql`jsonb_path_exists(document, ${`${path} ? (${IS_SCALAR})`}::jsonpath)`
  return sql`jsonb_path_exists(document, ${`${path} ? (${IS_NO_LIST} && ${conditions})`}::jsonpath, ${values}::jsonb)`
}

/**
 * Values written into the path can be found by an index: by the terms of the document, or, where a version before has
 * stored it, by the index on all its fields. More of them than fit into a path are given beside it.
 */
function equalsAtPath(filter: Equality, path: string, among: AmongVocabularies): Sql {
  const values = filter.in.flatMap(equalsOf)
  if (values.length === 0) return sql`false`
  if (values.length <= VALUES_IN_PATH) {
    const equal = values.map((value) => `@ == ${JSON.stringify(value)}`).join(' || ')
    const isOneOf = sql`document @? ${`${path} ? (${IS_NO_LIST} && (${equal}))`}::jsonpath`
    const mayBe = toCondition(maybeEquals(filter.path, values), among)
    return sql`(${isOneOf} and (${mayBe} or ${HAS_NO_TERMS}))`
  }
  const variables = JSON.stringify({ values })
  const isOneOf = `${path} ? (${IS_NO_LIST} && @ == $values[*])`
  return sql`jsonb_path_exists(document, ${isOneOf}::jsonpath, ${variables}::jsonb)`
}

/** The JSON values whose text form is that of `value`. */
function equalsOf(value: Scalar): Scalar[] {
  const text = textOf(value)
  if (!isStorable(text)) return []
  const others = [Number(text), true, false, null]
  return [text, ...others.filter((other) => textOf(other) === text && !Number.isNaN(other))]
}

function likeAtPath(path: string, pattern: string): Sql {
  const isLike = likeOf(sql`coalesce(value #>> '{}', 'null')`, pattern)
  const scalars = `${path} ? (${IS_SCALAR})`
  return sql`exists (
    select 1 from jsonb_path_query(document, ${scalars}::jsonpath) as value where ${isLike})`
}

function likeOf(text: Sql, pattern: string): Sql {
  if (!isStorable(pattern)) return sql`false`
  return sql`${text} like ${pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')}`
}

function hasWords(text: string, among: AmongVocabularies): Sql {
  const wanted = hasText(text)
  return wanted === undefined ? sql`true` : toCondition(wanted, among)
}

function boundsOf({ above, below, atLeast, atMost }: Bounds) {
  const all = [
    { name: 'above', operator: '>', value: above },
    { name: 'below', operator: '<', value: below },
    { name: 'atLeast', operator: '>=', value: atLeast },
    { name: 'atMost', operator: '<=', value: atMost },
  ]
  return all.flatMap(({ name, operator, value }) => (value === undefined ? [] : [{ name, operator, value }]))
}

const conjunction = (conditions: Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : join(conditions, ' and ')
