import { type SpanOptions, tracer } from '@platform/tracing'
import type { ClientBase, QueryConfig, QueryResult } from 'pg'
import { Connection } from './connection.ts'
import { serverTimeoutMs } from './postgres-settings.ts'
import type { Sql } from './sql.ts'
import { statementName } from './statement-names.ts'

/** pg cuts the connection when the time is over, which the types of pg don't know yet. */
interface TimedQuery extends QueryConfig<unknown[]> {
  query_timeout: number
}

const timed = (client: ClientBase, query: TimedQuery): Promise<QueryResult> => client.query(query)

/** Runs SQL without values, kept unprepared; several statements may follow one another. */
export const runText = (client: ClientBase, text: string, timeoutMs: number): Promise<QueryResult> =>
  timed(client, { text, query_timeout: timeoutMs })

/** Runs one statement within `timeoutMs`, prepared on the server when it is used often. */
export async function runStatement<Row>(
  client: ClientBase,
  statement: Sql,
  timeoutMs: number,
  prepare = true,
): Promise<Row[]> {
  const text = statement.text
  const name = prepare ? statementName(text) : undefined
  if (name !== undefined && client instanceof Connection) client.prepared.add(name)
  const query = { name, text, values: statement.values, query_timeout: timeoutMs }
  const result =
    tracer === undefined
      ? await timed(client, query)
      : await tracer.around(spanOf(text), () => timed(client, query))
  return result.rows
}

/** The first word of a statement, and its text without its values. */
const spanOf = (text: string): SpanOptions => ({
  name: /\w+/.exec(text)?.[0]?.toLowerCase() ?? 'statement',
  kind: 'client',
  attributes: { 'db.system.name': 'postgresql', 'db.query.text': text },
})

/** Runs a statement that may take longer than the connection's own limits; the three travel together. */
export async function runLongStatement<Row>(
  client: ClientBase,
  statement: Sql,
  timeoutMs: number,
): Promise<Row[]> {
  const [, rows] = await Promise.all([
    runText(client, raiseLimits(timeoutMs), timeoutMs),
    runStatement<Row>(client, statement, timeoutMs),
    runText(client, 'reset statement_timeout; reset lock_timeout', timeoutMs),
  ])
  return rows
}

/** SQL that lets the statements after it take `timeoutMs`; with `local`, until the transaction ends. */
export function raiseLimits(timeoutMs: number, scope: '' | 'local ' = ''): string {
  const limit = serverTimeoutMs(timeoutMs)
  return `set ${scope}statement_timeout = ${limit}; set ${scope}lock_timeout = ${limit}`
}
