import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbedded } from '@platform/database'
import type { TestProject } from 'vitest/node'
import { freshDirectory } from './platform/machine.ts'
import type {} from './postgres-server.ts'

/** One PostgreSQL for the whole run, without fsync and gone at the end; TEST_DATABASE_URL brings another one along. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('databaseRun', randomBytes(6).toString('hex'))
  const given = process.env.TEST_DATABASE_URL
  if (given !== undefined) {
    project.provide('databaseUrl', given)
    return undefined
  }
  const directory = freshDirectory('postgres-')
  const server = await startEmbedded(join(directory, 'postgres'), { fsync: false, maxConnections: 200 })
  project.provide('databaseUrl', server.url)
  return async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
