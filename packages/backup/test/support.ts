import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { type Database, migrate, openDatabase, raw, sql } from '@platform/database'
import { type Files, openFiles } from '@platform/files'
import { masterKeyRing } from '@platform/master-keys'
import { testDatabaseUrl } from '@platform/testing'
import { createBackup, type Encryption, type Opening, restoreBackup } from '../src/index.ts'

const directories = {
  installation: 'packages/database',
  outbox: 'packages/broker',
  search: 'packages/search',
  audit: 'packages/audit',
  idempotency: 'packages/idempotency',
  permissions: 'packages/permissions',
  gateway: 'packages/identity',
  events: 'apps/events',
  runtime: 'apps/runtime',
  workspaces: 'apps/workspaces',
}

/** The schemas of the platform, from where their owners have them. */
export const schemas = Object.entries(directories).map(([schema, folder]) => ({
  schema,
  directory: new URL(`../../../${folder}/migrations/`, import.meta.url),
}))
const schemaNames = Object.keys(directories)

export const masterKeys = [{ id: 'k1', key: Buffer.alloc(32, 7) }]

/** An empty database, as an operator's program opens it. */
export async function emptyDatabase(): Promise<Database> {
  return await openDatabase(await testDatabaseUrl(), {
    allowWeakDurability: true,
    applicationName: 'ops',
    statementTimeoutMs: 20_000,
    connectTimeoutMs: 10_000,
  })
}

/** A store of files in a fresh directory. */
export const freshFiles = async (): Promise<Files> =>
  openFiles(`file:${await mkdtemp(join(tmpdir(), 'backup-files-'))}`)

export const PHOTO = `${'a'.repeat(28)}-${'0'.repeat(16)}`
const LOST_PHOTO = `${'b'.repeat(28)}-${'0'.repeat(16)}`

/** A database with something of everything that is particular. */
export async function filledDatabase(files?: Files): Promise<Database> {
  const database = await emptyDatabase()
  for (const each of schemas) await migrate(database, each)
  await database.many(
    raw(`create table outbox.events_20261101 partition of outbox.events
    for values from ('019a3d0f-0000-7000-8000-000000000000') to ('019a4235-0000-7000-8000-000000000000')`),
  )
  await emit(database, 300)
  await database.many(sql`insert into outbox.consumers (name) values ('fast'), ('slow'), ('new')`)
  await database.many(sql`insert into permissions.workspaces (id, slug, name)
    values ('w', 'w', ${'tab\tline\nbackslash\\N \u{1f600}'}), ('v', 'v', ''), ('u', 'u', '\\.')`)
  await database.many(sql`insert into permissions.members values ('w', 'ada', 'owner')`)
  await database.many(sql`insert into search.documents (id, stream, document)
    select gen_random_uuid(), 's', jsonb_build_object('type', 'x', 'n', n, 'text', repeat(md5(n::text), 20))
    from generate_series(1, 20000) n`)
  await database.many(sql`insert into gateway.revocations (id) values ('r1'), ('r2')`)
  await database.many(sql`insert into idempotency.requests (id, fingerprint, owner, lease_until, created_at, status)
    values ('\\x00ff', '\\x01', gen_random_uuid(), now(), now(), 200),
      ('\\x0001', '\\x01', gen_random_uuid(), now(), now(), null)`)
  await database.many(sql`insert into runtime.runs
      (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id, attempt, worker,
        leased_until)
    values (gen_random_uuid(), 'w', 'a', 'event', 'x', 'running', 'c', 1, '17', now() + interval '30 s')`)
  await database.many(sql`insert into events.indexes (identity, stage) values ('elsewhere', 'ready')`)
  const sealed = masterKeyRing(masterKeys).seal('{}', 'gateway.signing_keys|kid|sealed_jwk')
  await database.many(sql`insert into gateway.signing_keys (kid, alg, kind, sealed_jwk, published_at)
    values ('kid', 'RS256', 'RSA 2048', ${sealed}, now())`)
  await addAutomations(database)
  await addUsers(database, files)
  return database
}

/** One that has another text than before: what it was is recorded by triggers, which a restore must not set off. */
async function addAutomations(database: Database): Promise<void> {
  const change = sql`update workspaces.workspaces set revision = revision + 1 where id = 'w'`
  await database.many(sql`insert into workspaces.workspaces
      (id, slug, name, created_at, updated_at, created_by, updated_by)
    values ('w', 'w', 'w', now(), now(), 'ada', 'ada')`)
  await database.many(sql`insert into workspaces.automations (workspace_id, slug, definition, index_entry, checksum,
      created_at, updated_at, created_by, updated_by)
    values ('w', 'a', '{"output":1}', '{}', 'one', now(), now(), 'ada', 'ada')`)
  await database.many(change)
  await database.many(sql`update workspaces.automations set definition = '{"output":2}', checksum = 'two'`)
  await database.many(change)
}

async function addUsers(database: Database, files: Files | undefined): Promise<void> {
  if (files === undefined) return
  await files.put(`photos/${PHOTO}`, { bytes: randomBytes(50_000), mediaType: 'image/png' })
  await database.many(sql`insert into gateway.users (id, status, photo) values
    ('with', 'validated', ${`https://platform.example/v2/photos/${PHOTO}`}),
    ('lost', 'validated', ${`https://platform.example/v2/photos/${LOST_PHOTO}`}),
    ('elsewhere', 'validated', 'https://pictures.example/ada.png'),
    ('without', 'validated', null)`)
}

/** Commits events, each in a transaction of its own, in an order that is not that of their positions. */
async function emit(database: Database, count: number): Promise<void> {
  await database.many(sql`select setval('outbox.positions', 1000000)`)
  for (let n = 0; n < count; n += 1)
    await database.many(sql`insert into outbox.events (id, type, record, position)
      values (gen_random_uuid(), 'x', ${JSON.stringify({ n })}::json, ${100_000 - n})`)
}

/** What a backup of a database is, as bytes. */
export async function backupOf(
  database: Database,
  { files, encryption }: { files?: Files | undefined; encryption?: Encryption | undefined } = {},
): Promise<Buffer> {
  const chunks: Buffer[] = []
  const target = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk)
      done()
    },
  })
  await createBackup(
    { database, files, schemas: schemaNames, masterKeys, version: '0.1.0', encryption },
    target,
  )
  return Buffer.concat(chunks)
}

/** In pieces, as a disk gives it. */
export const streamOf = (bytes: Buffer): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    })(),
  )

/** Restores into a database. */
export const restore = (
  database: Database,
  source: AsyncIterable<Uint8Array>,
  {
    files,
    opening = {},
    ...others
  }: { files?: Files; opening?: Opening } & Partial<Parameters<typeof restoreBackup>[0]> = {},
) => restoreBackup({ database, files, schemas, masterKeys, opening, ...others }, source)

/** A sum of each table's rows, without their order. */
export async function contentsOf(database: Database): Promise<Record<string, string>> {
  const tables = await database.many<{ name: string }>(sql`
    select schemaname || '.' || tablename as name from pg_tables t where schemaname = any(${schemaNames}::text[])
      and not exists (select 1 from pg_inherits where inhrelid = (t.schemaname || '.' || t.tablename)::regclass)
    order by 1`)
  const contents: Record<string, string> = {}
  for (const { name } of tables) {
    const [row] = await database.many<{ sum: string }>(
      raw(
        `select count(*) || ' ' || 
        coalesce(sum(('x' || left(md5(t::text), 8))::bit(32)::bigint), 0) as sum from ${name} t`,
      ),
    )
    contents[name] = row?.sum ?? ''
  }
  return contents
}
