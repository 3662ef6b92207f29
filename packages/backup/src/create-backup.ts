import type { Writable } from 'node:stream'
import { type CopySession, type Database, openCopySession, raw, sql } from '@platform/database'
import type { Files } from '@platform/files'
import type { MasterKey } from '@platform/master-keys'
import { type ArchiveWriter, archiveWriter } from './archive-writer.ts'
import { fileKeys, quotedTable, selectionOf } from './contents.ts'
import type { Encryption } from './encryption.ts'
import { BackupProblem, END, type End, MANIFEST, type Manifest } from './manifest.ts'
import { usedMasterKeys } from './master-key-check.ts'
import { countFileKeys, listMigrated, listSequences, listTables } from './schema-store.ts'
import { Sum } from './sums.ts'

/** How far a backup or a restore is: the table or the files it is at. */
export interface Progress {
  what: string
  rows: number
  /** Of everything so far. */
  bytes: number
}

export interface CreateOptions {
  database: Database
  /** Where the files are; without a store the database must refer to none. */
  files: Files | undefined
  schemas: readonly string[]
  masterKeys: readonly MasterKey[]
  /** Of the product. */
  version: string
  encryption?: Encryption | undefined
  onProgress?: (progress: Progress) => void
}

/** A backup that was made. */
export interface MadeBackup {
  manifest: Manifest
  end: End
  /** Of the file. */
  bytes: number
}

/**
 * Writes everything a platform can't make again, as it was at one moment, while the platform runs on. Memory holds a
 * few megabytes of it, whatever its size. Throws BackupProblem; what was written until then has no end and is refused
 * by who reads it.
 */
export async function createBackup(options: CreateOptions, target: Writable): Promise<MadeBackup> {
  await using session = await openCopySession(options.database)
  await session.many(raw('begin transaction isolation level repeatable read, read only'))
  const manifest = await describe(session, options)
  const archive = archiveWriter(target, options.encryption)
  try {
    await archive.add(MANIFEST, toJson(manifest))
    const end = await new BackupWriter(session, archive, options).write(manifest)
    await requireSameMigrations(options, manifest)
    await archive.add(END, toJson(end))
    return { manifest, end, bytes: await archive.finish() }
  } catch (error) {
    await archive.abandon(error as Error)
    throw error
  }
}

const toJson = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

async function describe(session: CopySession, options: CreateOptions): Promise<Manifest> {
  const [now] = await session.many<{ at: Date; postgres: number }>(
    sql`select now() as at, current_setting('server_version_num')::int as postgres`,
  )
  const schemas = await listMigrated(session, options.schemas)
  const names = schemas.map(({ name }) => name)
  const tables = await listTables(session, names)
  if (now === undefined || tables.length === 0)
    throw new BackupProblem('The database has no platform in it: correct DATABASE_URL or DATA_DIRECTORY.')
  const tableNames = new Set(tables.map(({ name }) => name))
  const files = await countFileKeys(session, tableNames)
  if (files > 0 && options.files === undefined)
    throw new BackupProblem(
      'The database refers to files, and where they are is not known: set FILES_URL as the gateway has it.',
    )
  return {
    platformBackup: 1,
    platform: options.version,
    createdAt: now.at.toISOString(),
    postgres: now.postgres,
    schemas,
    tables,
    sequences: await listSequences(session, names),
    files,
    masterKeys: await usedMasterKeys(session, tableNames, options.masterKeys),
  }
}

/** A migration that ran meanwhile has changed tables that were copied as they had been described before. */
async function requireSameMigrations(
  { database, schemas }: CreateOptions,
  manifest: Manifest,
): Promise<void> {
  const now = await listMigrated(database, schemas)
  if (JSON.stringify(now) === JSON.stringify(manifest.schemas)) return
  throw new BackupProblem('The database was migrated while it was backed up: make the backup again.')
}

const PART_BYTES = 4 * 1024 * 1024
const FILES_AT_ONCE = 500

/** Writes tables and files of one snapshot. */
class BackupWriter {
  readonly #session: CopySession
  readonly #archive: ArchiveWriter
  readonly #options: CreateOptions
  #bytes = 0

  constructor(session: CopySession, archive: ArchiveWriter, options: CreateOptions) {
    this.#session = session
    this.#archive = archive
    this.#options = options
  }

  async write({ tables }: Manifest): Promise<End> {
    const written: End['tables'] = []
    for (const { name, columns } of tables) written.push({ name, ...(await this.#table(name, columns)) })
    return { tables: written, files: await this.#files(new Set(tables.map(({ name }) => name))) }
  }

  async #table(name: string, columns: readonly string[]): Promise<Omit<End['tables'][number], 'name'>> {
    const sum = new Sum()
    // Locks that were taken after a savepoint are given back with it: who drops old partitions waits for one table,
    // not for the whole backup. The snapshot stays.
    await this.#session.many(raw('savepoint one_table'))
    let part = 0
    const rows = this.#session.copyOut(raw(selectionOf(name, columns)))
    for await (const bytes of inParts(rows, PART_BYTES)) {
      sum.add(bytes)
      part += 1
      this.#progress(name, sum.rows, bytes.byteLength)
      await this.#archive.add(`tables/${name}/${part}`, bytes)
    }
    await this.#session.many(raw('rollback to savepoint one_table'))
    return { rows: sum.rows, bytes: sum.bytes, sha256: sum.digest() }
  }

  /**
   * The files that the snapshot refers to. One that is not there was deleted since, or had been lost before: the
   * platform lives without a picture, so it is counted and told, and no reason to have no backup.
   */
  async #files(tables: ReadonlySet<string>): Promise<End['files']> {
    const sum = new Sum()
    let count = 0
    let missing = 0
    for await (const key of this.#fileKeys(tables)) {
      const file = await this.#options.files?.get(key)
      if (file === undefined) {
        missing += 1
        continue
      }
      const bytes = Buffer.concat([Buffer.from(`${file.mediaType}\n`, 'latin1'), file.bytes])
      sum.add(bytes)
      count += 1
      this.#progress('files', count, bytes.byteLength)
      await this.#archive.add(`files/${key}`, bytes)
    }
    return { count, missing, bytes: sum.bytes, sha256: sum.digest() }
  }

  async *#fileKeys(tables: ReadonlySet<string>): AsyncGenerator<string> {
    for (const { table, key } of fileKeys) {
      if (!tables.has(table)) continue
      await this.#session.many(
        raw(`declare file_keys no scroll cursor for
          select ${key} as key from ${quotedTable(table)} where ${key} is not null`),
      )
      for (let isMore = true; isMore; ) {
        const rows = await this.#session.many<{ key: string }>(raw(`fetch ${FILES_AT_ONCE} from file_keys`))
        for (const row of rows) yield row.key
        isMore = rows.length === FILES_AT_ONCE
      }
      await this.#session.many(raw('close file_keys'))
    }
  }

  #progress(what: string, rows: number, bytes: number): void {
    this.#bytes += bytes
    this.#options.onProgress?.({ what, rows, bytes: this.#bytes })
  }
}

/** The same bytes in pieces of a size, so that a part is neither a row nor a table. */
async function* inParts(chunks: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    waiting.push(chunk)
    length += chunk.byteLength
    if (length < size) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}
