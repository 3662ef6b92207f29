import { randomBytes } from 'node:crypto'
import { rm, statfs } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, raw, startEmbedded } from '@platform/database'
import type { TestProject } from 'vitest/node'
import { freshDirectory } from './platform/machine.ts'
import type {} from './postgres-server.ts'

/** One PostgreSQL for the whole run, without fsync and gone at the end; TEST_DATABASE_URL brings another one along. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('databaseRun', randomBytes(6).toString('hex'))
  const given = process.env.TEST_DATABASE_URL
  project.provide('dropsDatabases', given === undefined)
  if (given !== undefined) {
    project.provide('databaseUrl', given)
    return undefined
  }
  const directory = freshDirectory('postgres-', await roomyPlace())
  const server = await startEmbedded(join(directory, 'postgres'), { fsync: false, maxConnections: 200 })
  await makeCheap(server.url)
  project.provide('databaseUrl', server.url)
  return async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/**
 * Each test file copies a database, some hundred files of which it changes few: the file system may share the rest. And
 * it opens dozens of connections, whose handshakes would each hash the password 4,096 times: as a verifier says.
 */
async function makeCheap(url: string): Promise<void> {
  await using admin = await openDatabase(url, { poolSize: 1, allowWeakDurability: true })
  await admin.many(raw('alter system set file_copy_method = clone'))
  await admin.many(raw('select pg_reload_conf()'))
  const { username, password } = new URL(url)
  await admin.many(
    raw(`do $$ begin
      set local scram_iterations = 1;
      alter role "${username}" password '${decodeURIComponent(password)}';
    end $$`),
  )
}

/** So much the databases of files that run at the same time may take, and what PostgreSQL writes ahead. */
const ROOM_BYTES = 4 * 1024 ** 3

/** Memory where there is plenty: without fsync nothing is meant to last. */
async function roomyPlace(): Promise<string> {
  const memory = '/dev/shm'
  const found = await statfs(memory).catch(() => undefined)
  const isRoomy = found !== undefined && found.bavail * found.bsize > ROOM_BYTES && freemem() > 2 * ROOM_BYTES
  return isRoomy ? memory : tmpdir()
}
