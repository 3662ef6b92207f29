import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { growingPauseMs } from '@platform/kernel'
import { escapeIdentifier, escapeLiteral } from 'pg'
import type { Connection } from './connection.ts'
import type { Database } from './database.ts'
import { DatabaseError } from './database-error.ts'
import { connectAlone, type PostgresDatabase } from './postgres.ts'
import { raw, sql } from './sql.ts'

const NAME = /^\d{4}_[a-z0-9_]+\.sql$/
const SCHEMA = /^[a-z][a-z0-9_]*$/
const RETRY_MS = 500

const TIMEOUT_MS = 120_000
/**
 * How long a file waits for a lock. All who use the table queue behind it meanwhile, and their statements give up after
 * 1.5 s (docs/adr/0058). It is more than the second after which PostgreSQL ends an autovacuum that is in the way.
 */
const QUEUE_MS = 1250
/** Between two tries those who had to queue go on. */
const PAUSES = { firstMs: 500, longestMs: 5000 }
const LOCK_NOT_AVAILABLE = '55P03'

/** The tables of one schema, described by the numbered SQL files of a directory. */
export interface Migrations {
  schema: string
  directory: URL
  /**
   * The longest one file may take, the longest wait for another process that migrates, and the longest that locks of
   * tables are tried for. Default 120,000.
   */
  timeoutMs?: number
}

export interface MigrateOptions {
  /** Keeps trying this long while the server can't be reached; without it the first failure is thrown. */
  waitMs?: number
}

/** What migrating a schema has done. */
export interface Migrated {
  schema: string
  /** The files that this call ran, in order; none where another process ran them, or nothing was to do. */
  ran: string[]
  /** What a newer version has run before, beside which this one may run. */
  newer: string[]
}

/** A migration that has run in a database. */
interface Applied {
  name: string
  /** What a process must know of to run beside it; null where it only adds (docs/adr/0056). */
  needs: string | null
}

/**
 * Brings a schema to the state its numbered SQL files describe, forward only, each in one
 * transaction. Any number of processes may call it at once: one migrates, the others wait for it. Costs two queries
 * when nothing is to do. A schema that a newer version has migrated is left as it is, and accepted where the newer
 * files say that this version may run beside them (docs/adr/0056).
 */
export async function migrate(
  database: Database,
  migrations: Migrations,
  options: MigrateOptions = {},
): Promise<Migrated> {
  const { schema, directory } = migrations
  if (!SCHEMA.test(schema))
    throw new Error(`The schema name "${schema}" must be lower-case letters, digits and "_".`)
  const names = await listMigrations(directory)
  const run = () => bringUp(database, migrations, names)
  const giveUpAt = performance.now() + (options.waitMs ?? 0)
  while (performance.now() + RETRY_MS < giveUpAt) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof DatabaseError && error.unavailable)) throw error
    }
    await pause(RETRY_MS)
  }
  return await run()
}

async function listMigrations(directory: URL): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()
  const wrong = files.find((file) => !NAME.test(file))
  if (wrong !== undefined)
    throw new Error(`The migration "${wrong}" must be named like 0001_create_things.sql.`)
  return files.map((file) => file.slice(0, -'.sql'.length))
}

async function bringUp(
  database: Database,
  { schema, directory, timeoutMs = TIMEOUT_MS }: Migrations,
  names: string[],
): Promise<Migrated> {
  const before = newerThan(schema, names, await listApplied(database, schema))
  if (before.isComplete) return { schema, ran: [], newer: before.newer }
  const startedAt = Date.now()
  let ran: string[]
  const connection = await openFor(database, schema, timeoutMs)
  try {
    ran = await runFiles(connection, { schema, directory, timeoutMs })
  } finally {
    // Frees the lock and undoes a half-run file in every state of the session.
    connection.cut()
  }
  const { isComplete, newer } = newerThan(schema, names, await listApplied(database, schema))
  if (isComplete) return { schema, ran, newer }
  throw new Error(`The migrations of schema "${schema}" are incomplete after ${Date.now() - startedAt} ms.`)
}

async function listApplied(database: Database, schema: string): Promise<Applied[]> {
  const table = `${escapeIdentifier(schema)}.migrations`
  // Before the first migration there is none. A statement about a missing table would be an error in the server's log.
  const found = await database.many(sql`select where to_regclass(${table}) is not null`)
  if (found.length === 0) return []
  // By way of JSON, because a schema in which nothing was ever removed has no such column.
  return await database.many<Applied>(
    raw(`select name, to_jsonb(applied) ->> 'needs' as needs from ${table} as applied`),
  )
}

/** Throws DatabaseError where a newer version has removed what this one uses. */
function newerThan(schema: string, names: string[], applied: Applied[]) {
  const newer = applied.filter(({ name }) => !names.includes(name))
  const barrier = newer.find(({ needs }) => needs !== null && !names.includes(needs))
  if (barrier !== undefined)
    throw new DatabaseError(
      `The database schema "${schema}" was changed by a newer version of this program: it has "${barrier.name}", ` +
        `beside which only versions can run that know "${barrier.needs}", and this one does not; ` +
        'start a newer version or restore a backup.',
      { unavailable: false },
    )
  const known = applied.length - newer.length
  return { isComplete: known === names.length, newer: newer.map(({ name }) => name) }
}

function openFor(database: Database, schema: string, timeoutMs: number): Promise<Connection> {
  if (!isPostgres(database)) throw new Error('Only a handle made by openDatabase can be migrated.')
  const limits = { statement_timeout: timeoutMs, lock_timeout: timeoutMs, search_path: `${schema},public` }
  const options = Object.entries(limits).map(([name, value]) => `-c ${name}=${value}`)
  return database[connectAlone]({
    options: options.join(' '),
    query_timeout: timeoutMs + 1000,
    pipeline: false,
  })
}

const isPostgres = (database: Database): database is PostgresDatabase => connectAlone in database

async function runFiles(
  connection: Connection,
  { schema, directory, timeoutMs }: Required<Migrations>,
): Promise<string[]> {
  // Loaded only when there is something to do: most starts have nothing to migrate.
  const { PG_MIGRATE_LOCK_ID, runner } = await import('node-pg-migrate')
  const run = (begun: string[]) =>
    runner({
      dbClient: connection,
      dir: fileURLToPath(directory),
      ignorePattern: '(?!.*\\.sql$).*',
      direction: 'up',
      migrationsTable: 'migrations',
      migrationsSchema: schema,
      createMigrationsSchema: true,
      // Taken here and kept over all tries: of several processes that start, one alone gets into the way of others.
      noLock: true,
      migrationLoaderStrategies: [
        { extensions: ['.sql'], loader: (paths) => loadForwardOnly(paths, schema) },
      ],
      logger: listBegun(begun),
    })

  await becomeTheOne(connection, PG_MIGRATE_LOCK_ID, schema, timeoutMs)
  const giveUpAt = performance.now() + timeoutMs
  const ran: string[] = []
  for (let failures = 0; ; failures += 1) {
    const begun: string[] = []
    try {
      await run(begun)
      return [...ran, ...begun]
    } catch (error) {
      const failed = begun.pop()
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw explain(error, schema, failed)
      if (performance.now() > giveUpAt) throw lockedOut(error, schema, failed, timeoutMs)
      ran.push(...begun)
    }
    await connection.query('rollback')
    await pause(growingPauseMs(failures, PAUSES))
  }
}

/** Waits until no other process migrates. The lock is that of the runner, which versions before left to it. */
async function becomeTheOne(
  connection: Connection,
  lock: number,
  schema: string,
  timeoutMs: number,
): Promise<void> {
  try {
    await connection.query(`select pg_advisory_lock(${lock})`)
    await connection.query(`set lock_timeout = ${Math.min(QUEUE_MS, timeoutMs / 2)}`)
  } catch (error) {
    const code = codeOf(error)
    if (code !== LOCK_NOT_AVAILABLE) throw explain(error, schema, undefined)
    const waited =
      `The migration of schema "${schema}" waited ${timeoutMs} ms for another process that migrates; ` +
      'try again when it is done.'
    throw new DatabaseError(waited, { cause: error, unavailable: true, code })
  }
}

/** The runner says in its log which file it begins. */
function listBegun(begun: string[]) {
  const ignore = () => undefined
  const info = (line: string) => {
    const file = fileOf(line)
    if (file !== undefined) begun.push(file)
  }
  return { debug: ignore, info, warn: ignore, error: ignore }
}

/** The whole file is the way up, and there is no way down; comments in it that say otherwise are ignored. */
const loadForwardOnly = (paths: string[], schema: string) =>
  Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, 'utf8')
      const needs = neededBy(text)
      const preface = needs === undefined ? '' : noteNeeds(schema, needs)
      return {
        id: path,
        filePaths: [path],
        actions: {
          up: (builder: { sql(text: string): void }) => builder.sql(`${preface}${text}`),
          down: false as const,
        },
      }
    }),
  )

/** What a file says in the comment at its beginning that processes beside it must know of; undefined where it adds. */
const neededBy = (text: string): string | undefined => /^(?:--.*\n)*?-- needs: (\S+)\n/.exec(text)?.[1]

/**
 * Statements that put it into the row of the migration. The runner writes that row, in the same transaction, and knows
 * nothing of the column: its default takes the value from a setting of the transaction.
 */
function noteNeeds(schema: string, needs: string): string {
  const table = `${escapeIdentifier(schema)}.migrations`
  return `alter table ${table} add column if not exists needs text
      default nullif(current_setting('platform.needs', true), '');
    select set_config('platform.needs', ${escapeLiteral(needs)}, true);
    `
}

const fileOf = (line: string): string | undefined => /### MIGRATION (\S+) /.exec(line)?.[1]

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

const nameOf = (schema: string, file: string | undefined): string =>
  file === undefined ? `The migrations of schema "${schema}"` : `Migration "${file}" of schema "${schema}"`

function lockedOut(
  error: unknown,
  schema: string,
  file: string | undefined,
  timeoutMs: number,
): DatabaseError {
  const message =
    `${nameOf(schema, file)} tried for ${timeoutMs} ms to lock a table that others use, and was undone; try again ` +
    'when the longest transaction of pg_stat_activity has ended (a backup, a query by hand), or end it.'
  return new DatabaseError(message, { cause: error, unavailable: true, code: LOCK_NOT_AVAILABLE })
}

function explain(error: unknown, schema: string, file: string | undefined): DatabaseError {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  // Failures of the connection or of the state of the server pass; SQL that is wrong stays wrong.
  const unavailable = code === undefined ? /connection|timeout/i.test(message) : /^(08|53|57|58|E)/.test(code)
  return new DatabaseError(`${nameOf(schema, file)} failed: ${message}.`, { cause: error, unavailable, code })
}
