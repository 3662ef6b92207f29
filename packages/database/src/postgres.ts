import { beforeAbort } from '@platform/kernel'
import type { ClientConfig } from 'pg'
import { type Connection, openConnection } from './connection.ts'
import type { Database, Queries, QueryOptions } from './database.ts'
import {
  breaksConnection,
  DatabaseError,
  isStalePlan,
  toConnectError,
  toDatabaseError,
} from './database-error.ts'
import { Leadership } from './leadership.ts'
import { Notices } from './notices.ts'
import { Notifier } from './notifier.ts'
import { type BoundedPool, type LentConnection, openPool } from './pool.ts'
import { type PostgresOptions, type PostgresSettings, readPostgresSettings } from './postgres-settings.ts'
import { AnnouncedPresence } from './presence.ts'
import { checkServer, UnfitServerError } from './server-check.ts'
import { type Sql, sql } from './sql.ts'
import { runLongStatement, runStatement } from './statement.ts'
import { steadyConnection } from './steady-connection.ts'
import { runTransaction } from './transaction.ts'
import { TransactionGuard } from './transaction-guard.ts'

/** Opens a connection of its own with the handle's URL; for migrations, inside this package only. */
export const connectAlone = Symbol('connectAlone')

/** What the rest of this package may do with a handle. */
export interface PostgresDatabase extends Database {
  [connectAlone](overrides: ClientConfig): Promise<Connection>
}

/**
 * A database behind a pool. A server that is down doesn't keep the handle from opening: statements fail with
 * `unavailable` until it comes. Only a server that must not be used (too old, or durability switched off) refuses
 * here.
 */
export async function postgresDatabase(
  url: string,
  options: PostgresOptions = {},
): Promise<PostgresDatabase> {
  const settings = readPostgresSettings(url, options)
  const database = assemble(settings, openPool(settings))
  try {
    await database.many(sql`select 1`)
  } catch (error) {
    if (error instanceof UnfitServerError) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  }
  return database
}

function assemble(settings: PostgresSettings, pool: BoundedPool): PostgresDatabase {
  const notices = new Notices(settings.onFailure)
  const leadership = new Leadership(settings.onFailure)
  const presence = new AnnouncedPresence()
  const connect = (overrides: ClientConfig) => connectChecked(settings, overrides)
  const steady = steadyConnection(() => connect({}), [presence, notices, leadership])
  const isLong = ({ timeoutMs = 0 }: QueryOptions) => timeoutMs > settings.statementTimeoutMs
  const guard = settings.guardTransactions ? new TransactionGuard() : undefined
  const lend: BoundedPool['lend'] = async (work, isForLong) => {
    const fault = guard?.stray('a statement outside of it')
    if (fault !== undefined) throw fault
    return await pool.lend(work, isForLong)
  }
  const many = <Row>(statement: Sql, options: QueryOptions = {}): Promise<Row[]> =>
    lend((lent) => runLent<Row>(lent, settings, statement, options), isLong(options))

  // Not guarded: it is no part of a transaction that happens to be under way.
  const notifier = new Notifier((statement, options) =>
    pool.lend((lent) => runLent(lent, settings, statement, options)),
  )
  const notify = (channel: string, payload = '') => notifier.notify(channel, payload)

  return {
    driver: 'postgres',
    many,
    notify,
    async transaction(work, options = {}) {
      const notices: Parameters<typeof notify>[] = []
      const whole = ({ many }: Pick<Queries, 'many'>) =>
        work({ many, notify: (...notice) => void notices.push(notice) })
      const result = await lend(
        (lent) => runTransaction(lent, settings, whole, options, guard),
        isLong(options),
      )
      for (const notice of notices) notify(...notice)
      return result
    },
    listen: (channel, onNotice, onGap) => notices.listen(steady, channel, onNotice, onGap),
    whileLeader: (name, work) => leadership.whileLeader(steady, name, work),
    presence: () => {
      steady.start()
      return presence
    },
    load: () => pool.load(),
    ping: async (signal) => {
      const message = `The database at ${settings.address} did not answer in time.`
      const late = () => new DatabaseError(message, { unavailable: true, cause: signal.reason })
      await beforeAbort(many(sql`select 1`), signal, late)
    },
    [connectAlone]: connect,
    async [Symbol.asyncDispose]() {
      guard?.[Symbol.dispose]()
      await leadership.close()
      await steady[Symbol.asyncDispose]()
      await pool.close()
    },
  }
}

async function runLent<Row>(
  lent: LentConnection,
  settings: PostgresSettings,
  statement: Sql,
  { timeoutMs = settings.statementTimeoutMs }: QueryOptions,
): Promise<Row[]> {
  try {
    if (timeoutMs > settings.statementTimeoutMs)
      return await runLongStatement(lent.client, statement, timeoutMs)
    return await runStatement(lent.client, statement, lent.within(Math.min(timeoutMs, lent.timeLeftMs)))
  } catch (error) {
    lent.broken = breaksConnection(error)
    // It failed before it did anything, so once more without the stale plan is safe.
    if (isStalePlan(error)) return await runUnprepared(lent, settings, statement, lent.within(timeoutMs))
    throw toDatabaseError(error, settings)
  }
}

async function runUnprepared<Row>(
  lent: LentConnection,
  settings: PostgresSettings,
  statement: Sql,
  timeoutMs: number,
) {
  try {
    return await runStatement<Row>(lent.client, statement, timeoutMs, false)
  } catch (error) {
    throw toDatabaseError(error, settings)
  }
}

async function connectChecked(settings: PostgresSettings, overrides: ClientConfig): Promise<Connection> {
  try {
    const connection = await openConnection({ ...settings.client, ...overrides })
    try {
      await checkServer(connection, settings)
      return connection
    } catch (error) {
      connection.cut()
      throw error
    }
  } catch (error) {
    throw toConnectError(error, settings)
  }
}
