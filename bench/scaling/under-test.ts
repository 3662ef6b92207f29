import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, openDatabase, startEmbedded } from '@platform/database'
import { freshDirectory, type PlatformProcess, processTree, startSeparate } from '@platform/testing/platform'
import { imageFlags, imageVariables } from '../gateway/image.ts'
import { workspaceToCall } from '../measure/signed-in.ts'

/** The platform as images run it: so many processes of each service, and one PostgreSQL with its settings. */
export interface Instances extends AsyncDisposable {
  count: number
  origins: string[]
  workspaceId: string
  authorization: string
  services: readonly PlatformProcess[]
  database: Database
  databasePort: number
  /** Every process of PostgreSQL. */
  databasePids: () => number[]
}

/** Of PostgreSQL: a process of the platform has at most 11. */
const MAX_CONNECTIONS = 250

export async function startInstances(count: number): Promise<Instances> {
  const stack = new AsyncDisposableStack()
  const directory = freshDirectory('scaling-')
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = await startEmbedded(join(directory, 'postgres'), { maxConnections: MAX_CONNECTIONS })
  stack.defer(() => server.stop())
  const platform = await startSeparate(
    { databaseUrl: server.url, brokerUrl: 'postgres:', cacheUrl: 'memory:' },
    { ...imageVariables(), SAMPLE_WORKSPACE: 'false' },
    {
      counts: { gateway: count, workspaces: count, runtime: count, events: count },
      flags: imageFlags,
    },
  )
  stack.use(platform)
  const database = stack.use(await openDatabase(server.url, { poolSize: 1 }))
  return {
    count,
    origins: platform.origins,
    ...(await workspaceToCall(platform)),
    services: platform.processes,
    database,
    databasePort: server.port,
    databasePids: () => processTree(server.pid()),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** The service that a process runs: `runtime` of `runtime-2`. */
export const serviceOf = ({ name }: PlatformProcess): string => name.replace(/-\d+$/, '')
