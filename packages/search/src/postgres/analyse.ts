import { type Database, empty, join, type Sql, sql } from '@platform/database'
import { unsupported } from '../aggregation-checks.ts'
import type { Analysis, AnalysisQuery, SortBy } from '../search.ts'
import { planOf } from './analysis-plan.ts'
import { type AnalysisRow, resultsOf } from './analysis-results.ts'
import { statementOf, TOTAL } from './analysis-sql.ts'
import { columns, IS_SCALAR, jsonPathOf } from './fields.ts'
import { toSql } from './filter-to-sql.ts'
import { FIND_MS, findSlice, timeUntil } from './find.ts'
import { amongVocabularies } from './wanted.ts'

/** How many documents deep a page may reach. */
const REACH = 10_000

/** Documents and numbers; all statements together within the time of a search. */
export async function analyse(
  database: Database,
  stream: string | undefined,
  query: AnalysisQuery,
): Promise<Analysis> {
  const plan = planOf(query.aggregations)
  if (query.offset + query.limit > REACH)
    throw unsupported(
      `An answer reaches ${REACH} documents deep; narrow the filter down to see what follows.`,
    )
  const endsAt = performance.now() + FIND_MS
  const isCounting = plan.nodes.length > 0 || query.countAll
  const timeoutMs = () => timeUntil(endsAt)
  const { condition, statement } = await amongVocabularies(database, { stream, timeoutMs }, (among) => {
    const condition = toSql(query.filter, among)
    const source = matching(stream, condition)
    return { condition, statement: isCounting ? statementOf(plan, source, query.countAll, among) : undefined }
  })
  const documents = await documentsOf(database, stream, query, { condition, endsAt })
  if (statement === undefined) return { documents, aggregations: {} }
  const rows = await database.many<AnalysisRow>(statement, { timeoutMs: timeUntil(endsAt) })
  const total = rows.find(({ node }) => node === TOTAL)?.count ?? 0
  const aggregations = resultsOf(plan.roots, rows)
  return { documents, aggregations, ...(query.countAll ? { total } : {}) }
}

const matching = (stream: string | undefined, condition: Sql): Sql => sql`
  search.documents where ${stream === undefined ? empty : sql`stream = ${stream} and`} (${condition})`

async function documentsOf(
  database: Database,
  stream: string | undefined,
  query: AnalysisQuery,
  { condition, endsAt }: { condition: Sql; endsAt: number },
): Promise<Record<string, unknown>[]> {
  const { filter, sort, limit, offset } = query
  if (limit === 0) return []
  if (sort.length === 0)
    return await findSlice(database, stream, { filter, sort: 'desc', limit, offset }, { condition, endsAt })
  const order = join([...sort.flatMap(orderOf), sql`sequence desc`])
  const rows = await database.many<{ document: Record<string, unknown> }>(
    sql`select document from ${matching(stream, condition)} order by ${order} limit ${limit} offset ${offset}`,
    { timeoutMs: timeUntil(endsAt) },
  )
  return rows.map(({ document }) => document)
}

/** Numbers before texts; `desc` turns both round, and what has no value stays last. */
function orderOf({ path, order }: SortBy): Sql[] {
  const column = columns.get(path)
  if (column !== undefined)
    return [
      order === 'asc'
        ? sql`${column} collate "C" asc nulls last`
        : sql`${column} collate "C" desc nulls last`,
    ]
  const jsonPath = jsonPathOf(path)
  if (jsonPath === undefined) return []
  const first = sql`jsonb_path_query_first(document, ${`${jsonPath} ? (${IS_SCALAR} && @ != null)`}::jsonpath)`
  const text = sql`(${first} #>> '{}')`
  const number = sql`(case when jsonb_typeof(${first}) = 'number' then ${text}::numeric end)`
  const [numbers, texts] =
    order === 'asc'
      ? [sql`${number} asc nulls last`, sql`${text} collate "C" asc`]
      : [sql`${number} desc nulls first`, sql`${text} collate "C" desc`]
  return [sql`${first} is null`, numbers, texts]
}
