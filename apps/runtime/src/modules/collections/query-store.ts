import { among, empty, join, raw, type Sql, sql } from '@platform/database'
import { isRecord } from '@platform/kernel'
import type { CollectionSchema, Indexed } from './collection-schema.ts'
import { mayBeList } from './collection-schema.ts'
import { compound, isShort, keyOf, LIST } from './keys.ts'

/**
 * A query as the database asks it. What SQL can't say as `jsonmatch` does is left out of `where`, which then finds too
 * much: each record found is looked at again.
 */
export interface CompiledQuery {
  readonly where: Sql
  /** True where all that is found fits. */
  readonly isExact: boolean
}

type Query = Readonly<Record<string, unknown>>

const ALL: CompiledQuery = { where: sql`true`, isExact: true }
const UNSAID: CompiledQuery = { where: sql`true`, isExact: false }

export function compileQuery(query: Query | undefined, schema: CollectionSchema): CompiledQuery {
  if (query === undefined) return ALL
  const { where, isExact } = compileAll(query, 0)
  const narrowed = narrowing(query, schema)
  return { where: narrowed === undefined ? where : sql`${narrowed} and ${where}`, isExact }
}

const MAX_DEPTH = 20

function compileAll(query: Query, depth: number): CompiledQuery {
  if (depth > MAX_DEPTH) return UNSAID
  return every(Object.entries(query).map(([key, condition]) => compileOne(key, condition, depth)))
}

function compileOne(key: string, condition: unknown, depth: number): CompiledQuery {
  if (!key.startsWith('$')) return compilePath(key, condition)
  const branches = Array.isArray(condition) ? condition : [condition]
  if (branches.length > 100 || !branches.every(isRecord)) return UNSAID
  const compiled = branches.map((branch) => compileAll(branch, depth + 1))
  if (key === '$and') return every(compiled)
  if (key === '$or') return some(compiled)
  return key === '$nor' || key === '$not' ? not(some(compiled)) : UNSAID
}

const every = (parts: readonly CompiledQuery[]): CompiledQuery =>
  parts.length === 0
    ? ALL
    : {
        where: join(
          parts.map(({ where }) => where),
          ' and ',
        ),
        isExact: parts.every(({ isExact }) => isExact),
      }

const some = (parts: readonly CompiledQuery[]): CompiledQuery =>
  parts.length === 0
    ? { where: sql`false`, isExact: true }
    : {
        where: sql`(${join(
          parts.map(({ where }) => where),
          ' or ',
        )})`,
        isExact: parts.every(({ isExact }) => isExact),
      }

/** The opposite of too much would be too little. */
const not = ({ where, isExact }: CompiledQuery): CompiledQuery =>
  isExact ? { where: sql`not (${where})`, isExact } : UNSAID

/** Segments that lists have themselves, or that are written in brackets, are looked at here. */
const SAID = /^[^[\]]+$/
const isSaid = (segment: string): boolean =>
  segment !== '' && !/^\d+$/.test(segment) && !segment.includes('\u0000') && !UNSAID_NAMES.has(segment)

function compilePath(path: string, condition: unknown): CompiledQuery {
  const segments = path.split('.')
  if (!SAID.test(path) || segments.length > 20 || !segments.every(isSaid)) return UNSAID
  const at = `$${segments.map((one) => `.${JSON.stringify(one)}`).join('')}`
  if (!isOperators(condition)) return equals(at, condition)
  return compileOperators(at, condition)
}

const UNSAID_NAMES = new Set(['length', '__proto__', 'constructor', 'prototype'])

const isOperators = (condition: unknown): condition is Query =>
  isRecord(condition) && Object.keys(condition).some((key) => key.startsWith('$'))

type Operator = (at: string, operand: unknown) => CompiledQuery

const ordered =
  (sign: string): Operator =>
  (at, operand) =>
    isOrdered(operand) ? compared(at, `@ ${sign} $v`, operand) : UNSAID

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: equals,
  $ne: (at, operand) => not(equals(at, operand)),
  $in: isIn,
  $nin: (at, operand) => not(isIn(at, operand)),
  $gt: ordered('>'),
  $gte: ordered('>='),
  $lt: ordered('<'),
  $lte: ordered('<='),
  $exists(at, operand) {
    const exists = said(at, '', null)
    return operand && operand !== 'false' ? exists : not(exists)
  },
  $all(at, operand) {
    const isList = Array.isArray(operand) && operand.length > 0 && operand.length <= 100
    return isList ? every(operand.map((item) => equals(at, item))) : UNSAID
  },
  $not: (at, operand) => (isOperators(operand) ? not(compileOperators(at, operand)) : UNSAID),
}

const compileOperators = (at: string, operators: Query): CompiledQuery =>
  every(
    Object.entries(operators).map(([name, operand]) => {
      const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
      return operator?.(at, operand) ?? UNSAID
    }),
  )

/** Texts are compared by characters here and by code points there: the same, but for what is beyond these. */
const isOrdered = (operand: unknown): boolean =>
  typeof operand === 'number'
    ? Number.isFinite(operand)
    : typeof operand === 'string' && !operand.includes('\u0000') && !/[\uD800-\uFFFF]/.test(operand)

function equals(at: string, wanted: unknown): CompiledQuery {
  if (wanted === null || wanted === undefined)
    return some([not(said(at, '', null)), compared(at, '@ == null', null)])
  return isScalar(wanted) ? compared(at, '@ == $v', wanted) : UNSAID
}

function isIn(at: string, list: unknown): CompiledQuery {
  const options: readonly unknown[] = Array.isArray(list) ? list : [list]
  if (options.length > 1000 || !options.every((one) => one === null || isScalar(one))) return UNSAID
  const given = options.filter((one) => one !== null)
  const values = compared(at, '@ == $v[*]', given)
  return given.length === options.length ? values : some([values, equals(at, null)])
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  (typeof value === 'string' && !value.includes('\u0000') && value.isWellFormed())

/** The items of a list are compared, and not those of a list in it. */
const compared = (at: string, condition: string, v: unknown): CompiledQuery =>
  said(at, ` ? (@.type() <> "array" && ${condition})`, v)

const said = (at: string, filter: string, v: unknown): CompiledQuery => ({
  where: sql`jsonb_path_exists(r.data, ${`${at}${filter}`}::jsonpath, ${JSON.stringify({ v })}::jsonb, true)`,
  isExact: true,
})

/** A value of a column that no two records of a collection share. */
export interface UniqueKey {
  readonly column: string
  readonly key: string
}

/** Names the only record that can fit, where a query asks for its id or a unique value. */
export function uniqueKeyOf(query: Query | undefined, schema: CollectionSchema): UniqueKey | undefined {
  const asked = conditionsOf(query ?? {})
  const named = [
    { column: 'id', keys: idsIn(asked) },
    ...schema.uniques.map((one) => ({ column: one.column, keys: keysIn(asked, one) })),
  ]
  const { column, keys: [key] = [] } = named.find(({ keys }) => keys?.length === 1) ?? {}
  return column === undefined || key === undefined ? undefined : { column, key }
}

/** The condition on an index, where one can be used: it finds all that fits, and what looks like it. */
function narrowing(query: Query, schema: CollectionSchema): Sql | undefined {
  const asked = conditionsOf(query)
  const ids = idsIn(asked)
  if (ids !== undefined) return among(sql`r.id`, ids)
  for (const one of [...schema.uniques, ...schema.indexes]) {
    const keys = keysIn(asked, one)
    if (keys !== undefined) return amongKeys(one, keys, schema)
  }
  for (const one of schema.indexes) {
    const [first = ''] = one.properties
    const range = one.properties.length === 1 ? rangeOf(asked.get(first)) : undefined
    if (range !== undefined) return withLists(one, between(one, range), schema)
  }
  return undefined
}

/** Conditions that each record has to fit. */
function conditionsOf(query: Query): Map<string, unknown> {
  const parts = Array.isArray(query.$and) ? query.$and.filter(isRecord) : []
  return new Map([...parts, query].flatMap((part) => Object.entries(part)))
}

/** The values one of which a property must have; null and lists are in no index. */
function equalTo(condition: unknown): readonly unknown[] | undefined {
  const operators = isOperators(condition) ? condition : { $eq: condition }
  const { $in: list } = operators
  const values: readonly unknown[] = Array.isArray(list)
    ? list
    : ['$eq' in operators ? operators.$eq : undefined]
  return values.length > 0 && values.length <= 1000 && values.every(isScalar) ? values : undefined
}

type Asked = ReadonlyMap<string, unknown>

const isText = (value: unknown): value is string => typeof value === 'string'

function idsIn(asked: Asked): readonly string[] | undefined {
  const ids = equalTo(asked.get('id'))
  return ids?.every(isText) === true ? ids : undefined
}

/** The keys one of which a record has in an index; several values are looked up in one of one property only. */
function keysIn(asked: Asked, { properties }: Indexed): string[] | undefined {
  const [first, ...others] = properties.map((name) => equalTo(asked.get(name)))
  if (others.length === 0) return first?.map((value) => keyOf(value) ?? '')
  const values = [first, ...others]
  return values.every((some) => some?.length === 1) ? [compound(values.flat()) ?? ''] : undefined
}

function amongKeys(one: Indexed, keys: readonly string[], schema: CollectionSchema): Sql {
  const isUnique = schema.uniques.includes(one)
  const all = !isUnique && one.properties.some((name) => mayBeList(schema, name)) ? [...keys, LIST] : keys
  return among(sql`r.${raw(one.column)}`, [...new Set(all)])
}

interface Range {
  readonly from?: unknown
  readonly to?: unknown
}

function rangeOf(condition: unknown): Range | undefined {
  if (!isOperators(condition)) return undefined
  const from = condition.$gt ?? condition.$gte
  const to = condition.$lt ?? condition.$lte
  const given = [from, to].filter((one) => one !== undefined)
  const isRange = given.length > 0 && given.every((one) => isOrdered(one) && isShort(one))
  return isRange && new Set(given.map((one) => typeof one)).size === 1 ? { from, to } : undefined
}

/** The letter behind that of the type. */
const END: Readonly<Record<string, string>> = { n: 'o', s: 't' }

function between({ column }: Indexed, { from, to }: Range): Sql {
  const [lower, upper] = [keyOf(from), keyOf(to)]
  const type = (lower ?? upper ?? 's').slice(0, 1)
  const c = raw(`r.${column}`)
  const least = sql`${c} >= ${lower ?? type}`
  return upper === undefined
    ? sql`${least} and ${c} < ${END[type] ?? ''}`
    : sql`${least} and ${c} <= ${upper}`
}

const withLists = (one: Indexed, condition: Sql, schema: CollectionSchema): Sql =>
  one.properties.some((name) => mayBeList(schema, name))
    ? sql`((${condition}) or r.${raw(one.column)} = ${LIST})`
    : sql`(${condition})`

export const byId: Sql = sql`r.id`

/**
 * The order of values, whatever the collation of the database: nothing, numbers, texts by code points, objects, lists,
 * false and true.
 */
export function ordersOf(value: Sql, direction: 1 | -1 = 1): Sql[] {
  const way = direction === -1 ? raw(' desc') : empty
  return [
    sql`array_position(array['null', 'number', 'string', 'object', 'array', 'boolean'],
      coalesce(jsonb_typeof(${value}), 'null'))${way}`,
    sql`case when jsonb_typeof(${value}) = 'number' then ${value}::numeric end${way}`,
    sql`case when jsonb_typeof(${value}) <> 'number' then ${value} #>> '{}' end collate "C"${way}`,
  ]
}

/** The order of records; those alike by their id. */
export function orderBy(sort: Readonly<Record<string, 1 | -1>> | undefined): Sql {
  const parts = Object.entries(sort ?? {})
    .slice(0, 8)
    .flatMap(([path, direction]) => ordersOf(sql`(r.data #> ${path.split('.')}::text[])`, direction))
  return join([...parts, byId], ', ')
}
