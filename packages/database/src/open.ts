import type { Database } from './database.ts'
import { startEmbedded } from './embedded.ts'
import { postgresDatabase } from './postgres.ts'
import type { PostgresOptions } from './postgres-settings.ts'

export interface OpenDatabaseOptions extends PostgresOptions {
  /** Called with what an operator should know about the embedded server, for example where its data went. */
  log?: (message: string) => void
  /** Called when the embedded server has ended or can't be started again, with the reason. */
  warn?: (message: string) => void
}

/**
 * Opens the database a URL names: `postgres:` a server that runs already, `embedded:<directory>` one that is started
 * here with its data in that directory and stopped with the handle.
 */
export async function openDatabase(url: string, options: OpenDatabaseOptions = {}): Promise<Database> {
  if (!url.startsWith('embedded:')) return postgresDatabase(url, options)
  const { log = () => undefined, warn = log, ...postgresOptions } = options
  const server = await startEmbedded(url.slice('embedded:'.length), { log, warn })
  const database = await postgresDatabase(server.localUrl, postgresOptions).catch(async (error: unknown) => {
    await server.stop()
    throw error
  })
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await server.stop()
    },
  }
}
