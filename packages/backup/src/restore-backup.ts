import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type CopySession,
  type Database,
  type Migrations,
  migrate,
  openCopySession,
  type Queries,
  raw,
  sql,
} from '@platform/database'
import type { Files } from '@platform/files'
import type { MasterKey } from '@platform/master-keys'
import { quoted, quotedTable } from './contents.ts'
import type { Progress } from './create-backup.ts'
import type { Opening } from './encryption.ts'
import { BackupProblem, type BackupTable, type End, type Manifest } from './manifest.ts'
import { requireMasterKeys } from './master-key-check.ts'
import { type BackupPiece, readBackup } from './read-backup.ts'
import { findFilledTable, listMigrated } from './schema-store.ts'

export interface RestoreOptions {
  database: Database
  /** Where the files go. */
  files: Files | undefined
  /** What this version of the platform has. */
  schemas: readonly Migrations[]
  /** Must open what is sealed in the backup. */
  masterKeys: readonly MasterKey[]
  /** True where only the restoring itself is tried: files are read and checked, and no key is asked for. */
  isRehearsal?: boolean
  opening: Opening
  onProgress?: (progress: Progress) => void
}

export interface RestoredBackup {
  manifest: Manifest
  end: End
}

/**
 * Puts a backup into an empty database: makes it as it was for the version of the backup, copies the rows in one
 * transaction, and then brings it up to this version. Until that transaction has committed the database counts as
 * empty, so that what was interrupted is begun again in the same way.
 */
export async function restoreBackup(
  options: RestoreOptions,
  source: AsyncIterable<Uint8Array>,
): Promise<RestoredBackup> {
  const { database } = options
  await using session = await openCopySession(database)
  await requireAlone(session)
  const known = options.schemas.map(({ schema }) => schema)
  await requireEmpty(session, known)
  const loader = new Loader(session, options)
  for await (const piece of readBackup(source, options.opening)) await loader.take(piece)
  const restored = loader.restored()
  for (const one of options.schemas) await migrateTo(database, one)
  return restored
}

/** Of this platform, in this database; no other lock has this name. */
const LOCK = sql`hashtextextended('restore of a backup', 0)`

async function requireAlone(session: CopySession): Promise<void> {
  const [row] = await session.many<{ locked: boolean; others: number }>(sql`
    select pg_try_advisory_lock(${LOCK}) as locked, (
      select count(*)::int from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and application_name = 'platform'
    ) as others`)
  if (row?.locked !== true)
    throw new BackupProblem('Another restore into this database is under way: wait for it, or stop it.')
  if (row.others > 0)
    throw new BackupProblem('Services of the platform are connected to this database: stop them first.')
}

async function requireEmpty(session: CopySession, known: readonly string[]): Promise<void> {
  const present = (await listMigrated(session, known)).map(({ name }) => name)
  const filled = await findFilledTable(session, present)
  if (filled === undefined) return
  throw new BackupProblem(
    `The database is not empty (${filled} has rows), and a backup is restored into an empty one only: ` +
      'name another database, or another DATA_DIRECTORY.',
  )
}

async function requireKnown(manifest: Manifest, options: RestoreOptions): Promise<void> {
  const { schemas } = options
  const newer = manifest.schemas.find(({ name }) => !schemas.some(({ schema }) => schema === name))
  if (newer !== undefined) throw madeByNewer(manifest, `the schema "${newer.name}"`)
  for (const { name, migrations } of manifest.schemas) {
    const own = await filesOf(schemas.find(({ schema }) => schema === name))
    const unknown = migrations.find((migration) => !own.includes(`${migration}.sql`))
    if (unknown !== undefined) throw madeByNewer(manifest, `the migration "${unknown}" of schema "${name}"`)
  }
  if (options.isRehearsal === true) return
  requireMasterKeys(manifest, options.masterKeys)
  if (manifest.files > 0 && options.files === undefined)
    throw new BackupProblem(
      `The backup has ${manifest.files} files, and where they go is not known: set FILES_URL as the gateway has it.`,
    )
}

const madeByNewer = ({ platform }: Manifest, what: string): BackupProblem =>
  new BackupProblem(
    `The backup was made by version ${platform}, which has ${what}: restore it with that version or a newer one.`,
  )

async function filesOf(migrations: Migrations | undefined): Promise<string[]> {
  if (migrations === undefined) return []
  return await readdir(migrations.directory)
}

/** Makes the tables as they were when the backup was made; what an interrupted restore has left is removed first. */
async function prepare(session: CopySession, options: RestoreOptions, manifest: Manifest): Promise<void> {
  for (const { schema } of options.schemas)
    await session.many(raw(`drop schema if exists ${quoted(schema)} cascade`))
  for (const { name, migrations } of manifest.schemas) {
    const own = options.schemas.find(({ schema }) => schema === name)
    if (own !== undefined) await migrateTo(options.database, own, migrations)
  }
}

/** To some of the migrations only: those of a version before. */
async function migrateTo(database: Database, to: Migrations, only?: readonly string[]): Promise<void> {
  if (only === undefined) {
    await migrate(database, to)
    return
  }
  const some = await mkdtemp(join(tmpdir(), 'migrations-'))
  try {
    for (const name of only)
      await cp(join(fileURLToPath(to.directory), `${name}.sql`), join(some, `${name}.sql`))
    await migrate(database, { ...to, directory: pathToFileURL(`${some}/`) })
  } finally {
    await rm(some, { recursive: true, force: true })
  }
}

/** Fills the tables in one transaction, which commits once everything is there. */
class Loader {
  readonly #session: CopySession
  readonly #options: RestoreOptions
  #manifest: Manifest | undefined
  #end: End | undefined
  #table: { name: string; stream: Writable; ended: Promise<void> } | undefined
  #bytes = 0
  #files = 0

  constructor(session: CopySession, options: RestoreOptions) {
    this.#session = session
    this.#options = options
  }

  async take(piece: BackupPiece): Promise<void> {
    if (piece.kind === 'manifest') await this.#begin(piece.manifest)
    else if (piece.kind === 'rows') await this.#rows(piece.table, piece.bytes)
    else if (piece.kind === 'file') await this.#file(piece)
    else await this.#finish(piece.end)
  }

  restored(): RestoredBackup {
    if (this.#manifest !== undefined && this.#end !== undefined)
      return { manifest: this.#manifest, end: this.#end }
    throw new Error('A backup that was read to its end has one.')
  }

  async #begin(manifest: Manifest): Promise<void> {
    await requireKnown(manifest, this.#options)
    await prepare(this.#session, this.#options, manifest)
    await this.#session.many(raw('begin'))
    for (const table of manifest.tables) await makeReady(this.#session, table)
    this.#manifest = manifest
  }

  async #rows(table: string, bytes: Buffer): Promise<void> {
    if (this.#table?.name !== table) await this.#open(table)
    const { stream } = this.#table ?? {}
    // Its failure is told by `ended`, when the table is closed.
    if (stream?.write(bytes) === false) await once(stream, 'drain').catch(() => this.#close())
    this.#progress(table, 0, bytes)
  }

  async #file({ key, mediaType, bytes }: Extract<BackupPiece, { kind: 'file' }>): Promise<void> {
    await this.#close()
    await this.#options.files?.put(key, { bytes, mediaType })
    this.#files += 1
    this.#progress('files', this.#files, bytes)
  }

  async #finish(end: End): Promise<void> {
    await this.#close()
    for (const { name, rows } of end.tables) await requireCount(this.#session, name, rows)
    for (const { name } of this.#manifest?.tables ?? [])
      await this.#session.many(raw(`alter table ${quotedTable(name)} enable trigger user`))
    for (const { name, value } of this.#manifest?.sequences ?? [])
      await this.#session.many(sql`select setval(${quotedTable(name)}::regclass, ${value}::bigint)`)
    await this.#session.many(raw('commit'))
    await this.#session.many(raw('analyze'))
    this.#end = end
  }

  #progress(what: string, rows: number, { byteLength }: Buffer): void {
    this.#bytes += byteLength
    this.#options.onProgress?.({ what, rows, bytes: this.#bytes })
  }

  async #open(name: string): Promise<void> {
    await this.#close()
    const { columns = [] } = this.#manifest?.tables.find((table) => table.name === name) ?? {}
    const stream = this.#session.copyIn(raw(`${quotedTable(name)} (${columns.map(quoted).join(', ')})`))
    const ended = finished(stream)
    // It is awaited when the table is closed.
    ended.catch(() => undefined)
    this.#table = { name, stream, ended }
  }

  async #close(): Promise<void> {
    const table = this.#table
    this.#table = undefined
    table?.stream.end()
    await table?.ended
  }
}

/** Rows go to the partitions they were in; what migrations have put into a table is in the backup as well. */
async function makeReady(session: CopySession, { name, partitions }: BackupTable): Promise<void> {
  const [schema = ''] = name.split('.')
  for (const { name: partition, bounds } of partitions)
    await session.many(
      raw(`create table ${quoted(schema)}.${quoted(partition)} partition of ${quotedTable(name)} ${bounds}`),
    )
  if (await hasRows(session, name)) await session.many(raw(`delete from ${quotedTable(name)}`))
  // What triggers write when something changes is in the backup as well: rows come back, nothing changes.
  await session.many(raw(`alter table ${quotedTable(name)} disable trigger user`))
}

async function hasRows(queries: Queries, name: string): Promise<boolean> {
  const [row] = await queries.many(raw(`select 1 as found from ${quotedTable(name)} limit 1`))
  return row !== undefined
}

async function requireCount(queries: Queries, name: string, rows: number): Promise<void> {
  const [found] = await queries.many<{ rows: number }>(
    raw(`select count(*) as rows from ${quotedTable(name)}`),
  )
  if (found?.rows !== rows)
    throw new BackupProblem(`${name} has ${found?.rows} rows after it was restored instead of ${rows}.`)
}
