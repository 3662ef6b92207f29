import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queries, Sql } from '@platform/database'
import { matchesFilter, type Options } from '@platform/expressions'
import { Failure } from '@platform/kernel'
import { ANSWER_MAX, anyOf, type Collection, collectionStore, type Page, SMALL } from './collection-store.ts'
import { findAlone } from './entering-store.ts'
import { byId, compileQuery, orderBy, uniqueKeyOf } from './query-store.ts'
import { type Data, shownFields } from './record.ts'
import type { SingleStatements } from './workspace-records-store.ts'

export type Query = Readonly<Record<string, unknown>>

export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>> | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly skip?: number | undefined
  readonly fields?: string[] | Query | undefined
}

const LIMIT = 100
/** Most records that are looked at one by one, because the database can't say what is asked. */
const LOOKED_AT = 10_000
const CHUNKS = [200, 2000, LOOKED_AT + 1]
/** Between two of them others get their turn. */
const AT_ONCE = 200

/** A page of the records that fit. */
export async function findPage(
  tx: Queries,
  collection: Collection,
  query: Query | undefined,
  opts: FindOptions = {},
  options: Options = {},
): Promise<Data[]> {
  const { limit, offset } = sliceOf(opts)
  const { where, isExact } = compileQuery(query, collection.schema)
  const order = orderBy(opts.sort)
  const find = (page: Page) => collectionStore(tx).findRecords(collection, where, page)
  const rows = isExact
    ? await find({ order, limit, offset })
    : (await lookAt(find, order, query, options, limit + offset)).slice(offset)
  requireAnswer(rows)
  return rows.map(({ data }) => shownFields(data, opts.fields))
}

/** The same in one statement, where the database can say all of the query and few records are wanted. */
export async function findFew(
  collection: Collection,
  { findByKey, ask }: SingleStatements,
  query: Query | undefined,
  opts: FindOptions = {},
  options: Options = {},
): Promise<Data[] | undefined> {
  const unique = uniqueKeyOf(query, collection.schema)
  if (unique !== undefined) return cut(await findByKey(unique), query, opts, options)
  const { limit, offset } = sliceOf(opts)
  const { where, isExact } = compileQuery(query, collection.schema)
  if (!isExact || limit > SMALL) return undefined
  const order = orderBy(opts.sort)
  const rows = await ask((queries) => findAlone(queries, collection, where, { order, limit, offset }))
  requireAnswer(rows)
  return rows.map(({ data }) => shownFields(data, opts.fields))
}

function sliceOf({ limit = LIMIT, skip = 0, page = 1 }: FindOptions): { limit: number; offset: number } {
  return { limit, offset: skip + (page - 1) * limit }
}

/** The page that has the only record there may be, where that fits the rest of the query. */
function cut(found: Data | undefined, query: Query | undefined, opts: FindOptions, options: Options): Data[] {
  if (found === undefined || sliceOf(opts).offset > 0) return []
  return matchesFilter(found, query, options) ? [shownFields(found, opts.fields)] : []
}

type Row = { readonly data: Data; readonly size: number }

/** The first records that really fit. */
async function lookAt(
  find: (page: Page) => Promise<Row[]>,
  order: Sql,
  query: Query | undefined,
  options: Options,
  wanted: number,
): Promise<Row[]> {
  const found: Row[] = []
  let offset = 0
  for (const limit of CHUNKS) {
    const rows = await find({ order, limit, offset })
    requireAnswer(rows)
    offset += rows.length
    if (offset > LOOKED_AT) throw tooMany()
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      found.push(...rows.slice(at, at + AT_ONCE).filter(({ data }) => matchesFilter(data, query, options)))
      await nextTurn()
    }
    if (found.length >= wanted) return found.slice(0, wanted)
    if (rows.length < limit) return found
  }
  return found
}

/** The condition that finds all that fits and nothing else, also where that has to be looked at here. */
export async function exactCondition(
  tx: Queries,
  collection: Collection,
  query: Query | undefined,
  options: Options,
): Promise<Sql> {
  const { where, isExact } = compileQuery(query, collection.schema)
  if (isExact) return where
  const find = (page: Page) => collectionStore(tx).findRecords(collection, where, page)
  const rows = await lookAt(find, byId, query, options, LOOKED_AT + 1)
  return anyOf(rows.map(({ data }) => String(data.id)))
}

/** The records to be changed, locked. Throws where there are more than `limit` and all are meant. */
export async function lockFitting(
  tx: Queries,
  collection: Collection,
  query: Query | undefined,
  options: Options,
  limit: number,
): Promise<Data[]> {
  const { where, isExact } = compileQuery(query, collection.schema)
  const order = byId
  const find = (page: Page) => collectionStore(tx).lockRecords(collection, where, page)
  const rows = isExact
    ? await find({ order, limit, offset: 0 })
    : await lookAt(find, order, query, options, limit)
  return rows.map(({ data }) => data)
}

function requireAnswer(rows: readonly Row[]): void {
  if (rows.reduce((sum, { size }) => sum + size, 0) <= ANSWER_MAX) return
  const message = `The records have more than ${ANSWER_MAX} characters: ask for fewer with limit and page.`
  throw new Failure('PayloadTooLarge', message, { details: { max: ANSWER_MAX } })
}

const tooMany = () =>
  new Failure(
    'InvalidArgumentsError',
    `More than ${LOOKED_AT} records would have to be looked at one by one: ask for an equal value of another ` +
      'property as well, so that fewer are left.',
    { details: { max: LOOKED_AT } },
  )
