import { createHash } from 'node:crypto'
import { type SpanOptions, tracer } from '@platform/tracing'
import { LRUCache } from 'lru-cache'
import type { ClientBase, QueryConfig, QueryResult } from 'pg'
import { Connection } from './connection.ts'
import { serverTimeoutMs } from './postgres-settings.ts'
import type { Sql } from './sql.ts'

/**
 * Sends a statement, and cuts the connection when there is no answer within `timeoutMs`. Neither the promises nor the
 * time-out of pg: it sets a function as a property of each query, and V8 makes such a function in old memory, where it
 * keeps the result and all that waits for it until the next full collection (docs/adr/0084).
 */
const timed = (client: ClientBase, query: QueryConfig<unknown[]>, timeoutMs: number): Promise<QueryResult> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error('Query read timeout'))
      if (client instanceof Connection) client.cut()
    }, timeoutMs)
    void client.query(query, (error: Error | null, result) => {
      clearTimeout(timer)
      if (error) reject(error)
      else resolve(result)
    })
  })

/** Runs SQL without values, never prepared; several statements may follow one another. */
export const runText = (client: ClientBase, text: string, timeoutMs: number): Promise<QueryResult> =>
  timed(client, { text }, timeoutMs)

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
  const query = { name, text, values: statement.values }
  const result =
    tracer === undefined
      ? await timed(client, query, timeoutMs)
      : await tracer.around(spanOf(text), () => timed(client, query, timeoutMs))
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

/** As many as are in use at the same time; a connection that has prepared more than twice as many is not used again. */
export const MAX_NAMED = 300
const MAX_CANDIDATES = 1000
const USES_BEFORE_NAMED = 3

const named = new LRUCache<string, string>({ max: MAX_NAMED })
const candidates = new LRUCache<string, number>({ max: MAX_CANDIDATES })

/**
 * The name under which the server keeps a statement prepared, or undefined for one seen too seldom to be worth its
 * memory. Texts built from lists have no end, so of both the ones that were not used for longest are forgotten. The
 * name is a hash: it means the same text in every process, and again when the text comes back.
 */
export function statementName(text: string): string | undefined {
  const known = named.get(text)
  if (known !== undefined) return known
  const uses = (candidates.get(text) ?? 0) + 1
  if (uses < USES_BEFORE_NAMED) {
    candidates.set(text, uses)
    return undefined
  }
  candidates.delete(text)
  const name = createHash('sha1').update(text).digest('base64url')
  named.set(text, name)
  return name
}
