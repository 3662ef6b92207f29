import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedServer, startEmbedded } from '@platform/database'
import type { TestProject } from 'vitest/node'
import type {} from './postgres-server.ts'

/** One PostgreSQL for the whole run, without fsync and gone at the end; TEST_DATABASE_URL brings another one along. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('databaseRun', randomBytes(6).toString('hex'))
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined) {
    project.provide('databaseUrl', given)
    return undefined
  }
  const directory = await mkdtemp(join(tmpdir(), 'platform-test-'))
  // As root PostgreSQL runs as "nobody", who must be able to enter.
  await chmod(directory, 0o755)
  const server = await startEmbedded(join(directory, 'postgres'), { fsync: false, maxConnections: 200 })
  project.provide('databaseUrl', server.url)
  return () => removeServer(server, directory)
}

async function removeServer(server: EmbeddedServer, directory: string): Promise<void> {
  await server.stop()
  await rm(directory, { recursive: true, force: true })
  if (!server.directory.startsWith(directory)) await rm(server.directory, { recursive: true, force: true })
}
