import type { Readable, Writable } from 'node:stream'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import type { Connection } from './connection.ts'
import type { Database, Queries } from './database.ts'
import { connectAlone, type PostgresDatabase } from './postgres.ts'
import type { Sql } from './sql.ts'
import { runStatement } from './statement.ts'

/** The longest a timer can wait: whoever copies whole tables decides by themselves when they have waited enough. */
const UNLIMITED_MS = 2 ** 31 - 1

/**
 * What text looks like must not depend on the server, nor the order of a scan on who else scans the same table. A lock
 * is waited for, because all who come later wait behind it, for a short time only.
 */
const SETTINGS = {
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  lock_timeout: 30_000,
  tcp_keepalives_idle: 30,
  timezone: 'UTC',
  datestyle: 'ISO,MDY',
  intervalstyle: 'postgres',
  extra_float_digits: 1,
  bytea_output: 'hex',
  xmloption: 'content',
  max_parallel_workers_per_gather: 0,
  jit: 'off',
}

/** A connection outside the pool on which tables are copied out or in, without a limit of time. */
export interface CopySession extends Queries, AsyncDisposable {
  /** The rows of a query as COPY writes them: a line of text each. One copy or statement at a time. */
  copyOut(query: Sql): Readable
  /** Takes such lines; `target` is a table with its columns, for example `shop.orders (id, customer)`. */
  copyIn(target: Sql): Writable & { rowCount: number }
}

/** Opens a session for copying; the caller begins and ends its transactions by statements. */
export async function openCopySession(database: Database): Promise<CopySession> {
  if (!isPostgres(database)) throw new Error('Only a handle made by openDatabase can be copied.')
  const options = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  const connection: Connection = await database[connectAlone]({ options: options.join(' '), pipeline: false })
  return {
    many: (statement) => runStatement(connection, statement, UNLIMITED_MS, false),
    notify: (channel, payload) => database.notify(channel, payload),
    copyOut: (query) => connection.query(copyTo(`copy (${query.text}) to stdout`)),
    copyIn: (target) => connection.query(copyFrom(`copy ${target.text} from stdin`)),
    // What was not committed is undone by the server.
    [Symbol.asyncDispose]: async () => connection.cut(),
  }
}

const isPostgres = (database: Database): database is PostgresDatabase => connectAlone in database
