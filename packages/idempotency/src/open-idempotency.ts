import { type Database, migrate } from '@platform/database'
import type { IdempotencyStore } from '@platform/http'
import { inBatches, type Job } from '@platform/service'
import { requestStore } from './request-store.ts'
import { storedResponses } from './stored-responses.ts'

/** The answers remembered by one process, and the job that forgets them. */
export interface OpenIdempotency {
  store: IdempotencyStore
  /** Removes rows older than 24 h; every process may run it at once. */
  jobs: Job[]
}

const PURGE_EVERY_MS = 600_000
const BATCH = 500

interface Needs {
  database: Database
  /**
   * A secret that all instances of a service have and the database has not: without it no body can be guessed from
   * the table.
   */
  pepper: string
}

/**
 * Opens the answers kept in `database` (decisions A7), migrating schema `idempotency` when this process is the first
 * to start. Rejects with DatabaseError when the database can't answer.
 */
export async function openIdempotency({ database, pepper }: Needs): Promise<OpenIdempotency> {
  await migrate(database, 'idempotency', new URL('../migrations/', import.meta.url))
  const requests = requestStore(database)
  const run = (signal: AbortSignal) => inBatches(BATCH, signal, requests.purge)
  return {
    store: storedResponses(requests, pepper),
    jobs: [{ name: 'purge idempotent answers', everyMs: PURGE_EVERY_MS, run }],
  }
}
