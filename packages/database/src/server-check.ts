import type { ClientBase } from 'pg'
import { DatabaseError } from './database-error.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { runText } from './statement.ts'

/** The server responds, but this platform must not work with it; asking again changes nothing. */
export class UnfitServerError extends DatabaseError {}

interface ServerState {
  version: number
  fsync: string
  full_page_writes: string
  synchronous_commit: string
}

const QUESTION = `select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
  current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit`

/** Asked once per connection, so that a server that was replaced or restarted with other settings is noticed. */
export async function checkServer(client: ClientBase, settings: PostgresSettings): Promise<void> {
  const result = await runText(client, QUESTION, settings.connectTimeoutMs)
  const [state] = result.rows as ServerState[]
  if (state === undefined) return
  const refusal = refusalOf(state, settings)
  if (refusal !== undefined) throw new UnfitServerError(refusal, { unavailable: true })
}

function refusalOf(state: ServerState, settings: PostgresSettings): string | undefined {
  if (state.version < 150_000) {
    const version = Math.floor(state.version / 10_000)
    return `The database at ${settings.address} is PostgreSQL ${version}; this platform needs PostgreSQL 15 or newer.`
  }
  if (settings.allowWeakDurability) return undefined
  const weak = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).find(
    (name) => state[name] === 'off',
  )
  if (weak === undefined) return undefined
  const risk = `runs with ${weak}=off and could lose what was confirmed at a power cut`
  return `The database at ${settings.address} ${risk}; set ${weak}=on.`
}
