import { createHash, randomBytes } from 'node:crypto'
import { type Database, openDatabase, raw, sql } from '@platform/database'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of this test run. */
    databaseUrl: string
    /** Keeps templates of this run apart from those of earlier ones on a lasting server. */
    databaseRun: string
    /** True where databases are memory that others need; on a durable server each drop waits for the disk. */
    dropsDatabases: boolean
  }
}

/**
 * Durability is weak on purpose: nothing of a test must survive a power cut. Patient: what a test asks at once may take
 * a while on a machine that does other things too.
 */
const OPTIONS = {
  allowWeakDurability: true,
  poolSize: 4,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 10_000,
}
const ADMIN = { ...OPTIONS, poolSize: 1 }
/** Copying a template is a few files, but two cores do much else at the same time. */
const SLOW = { timeoutMs: 60_000 }

/** A database of a test file, dropped when disposed. */
export type TestDatabase = Database & { readonly url: string }

/** The address of the test server: TEST_DATABASE_URL when one is brought along, else the one started for this run. */
export const testServerUrl = (): string => inject('databaseUrl')

/** Databases of the file that is run. */
const made = new Set<string>()

/** What a file has begun it has ended: the databases that it left may go. */
export async function dropLeftDatabases(): Promise<void> {
  if (made.size > 0 && inject('dropsDatabases')) await dropDatabases([...made])
  made.clear()
}

/**
 * A fresh, empty database, or a copy of a template; each test file opens its own.
 *
 *     await using database = await testDatabase(await templateDatabase('workspaces', migrateAll))
 */
export async function testDatabase(template?: string): Promise<TestDatabase> {
  const url = await testDatabaseUrl(template)
  const database = await openDatabase(url, OPTIONS)
  return {
    ...database,
    url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await dropDatabases([new URL(url).pathname.slice(1)])
    },
  }
}

/** The address of a fresh database, for what opens its own handles; it goes away with the server at the latest. */
export async function testDatabaseUrl(template = 'template0'): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  made.add(name)
  await asAdmin((admin) =>
    admin.many(raw(`create database ${name} template ${template} strategy file_copy`), SLOW),
  )
  return urlOf(name)
}

/**
 * The name of a database prepared once per run, however many files ask for it at the same time; `key` names what
 * `prepare` does.
 */
export async function templateDatabase(
  key: string,
  prepare: (database: Database) => Promise<unknown>,
): Promise<string> {
  const digest = createHash('sha256')
    .update(`${inject('databaseRun')}:${key}`)
    .digest('hex')
  const name = `template_${digest.slice(0, 16)}`
  await using locking = await openDatabase(testServerUrl(), ADMIN)
  await locking.transaction(async (tx) => {
    // "create database" can't run in a transaction, but the lock of this one covers it on other connections.
    await tx.many(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`, SLOW)
    const [found] = await tx.many(sql`select 1 from pg_database where datname = ${name}`)
    if (found === undefined) await makeTemplate(name, prepare)
  }, SLOW)
  return name
}

/** Prepared under another name: a template that exists is complete. */
async function makeTemplate(name: string, prepare: (database: Database) => Promise<unknown>): Promise<void> {
  const draft = `${name}_draft`
  await asAdmin(async (admin) => {
    await admin.many(raw(`drop database if exists ${draft} with (force)`), SLOW)
    await admin.many(raw(`create database ${draft} template template0 strategy file_copy`), SLOW)
    const database = await openDatabase(urlOf(draft), OPTIONS)
    try {
      await prepare(database)
    } finally {
      await database[Symbol.asyncDispose]()
    }
    await admin.many(raw(`alter database ${draft} rename to ${name}`), SLOW)
  })
}

async function dropDatabases(names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await asAdmin(async (admin) => {
    for (const name of names) {
      await admin.many(raw(`drop database if exists ${name} with (force)`), SLOW)
      made.delete(name)
    }
  })
}

/** One connection for all files of a process that makes and drops databases; it ends with the process. */
let admin: Promise<Database> | undefined
async function asAdmin<T>(work: (admin: Database) => Promise<T>): Promise<T> {
  admin ??= openDatabase(testServerUrl(), ADMIN)
  return await work(await admin)
}

function urlOf(name: string): string {
  const url = new URL(testServerUrl())
  url.pathname = `/${name}`
  return url.href
}
