import { createHash, createHmac } from 'node:crypto'
import { type Database, type Migrations, migrate } from '@platform/database'
import type { IdempotencyStore, KeyedRequest, KeyState } from '@platform/http'
import { uuidv7 } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import { type Claim, type RequestRow, type RequestStore, requestStore } from './request-store.ts'

/** The responses stored for one service, and the job that removes them. */
export interface OpenIdempotency {
  store: IdempotencyStore
  /** Removes rows older than 24 h; every process may run it at once. */
  jobs: Job[]
}

/** The stored responses. */
export const idempotencyMigrations: Migrations = {
  schema: 'idempotency',
  directory: new URL('../migrations/', import.meta.url),
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
 * Opens the responses stored in `database`, migrating schema `idempotency` when this process is the first
 * to start. Rejects with DatabaseError when the database can't answer.
 */
export async function openIdempotency({ database, pepper }: Needs): Promise<OpenIdempotency> {
  await migrate(database, idempotencyMigrations)
  const requests = requestStore(database)
  const run = (signal: AbortSignal) => inBatches(BATCH, signal, requests.purge)
  return {
    store: storedResponses(requests, pepper),
    jobs: [{ name: 'purge idempotent answers', everyMs: PURGE_EVERY_MS, run }],
  }
}

/**
 * A claim outlives the deadline by this: a response may be on its way to the table after it.
 */
const MARGIN_MS = 5000

/** The store of routes, on the table of requests. */
const storedResponses = (requests: RequestStore, pepper: string): IdempotencyStore => ({
  async begin(request, deadlineAt) {
    const leaseMs = Math.max(0, deadlineAt - Date.now()) + MARGIN_MS
    // A body may hold a password, and its key may be as plain as "1".
    const fingerprint = createHmac('sha256', pepper).update(request.fingerprint).digest()
    const claim: Claim = { id: idOf(request), fingerprint, owner: uuidv7(), leaseMs }
    const found = await requests.claim(claim)
    if (!found.isOld) return stateOf(found, claim)
    await requests.removeOld(claim.id)
    return stateOf(await requests.claim(claim), claim)
  },
  keep: (request, owner, answer, secret) =>
    requests.keep({ id: idOf(request), owner }, { ...answer, secret }),
  doubt: (request, owner) => requests.endLease({ id: idOf(request), owner }),
  release: (request, owner) => requests.release({ id: idOf(request), owner }),
})

function stateOf(row: RequestRow, { owner, fingerprint }: Claim): KeyState {
  if (row.owner === owner) return { state: 'begun', owner }
  if (!row.fingerprint.equals(fingerprint)) return { state: 'other-request' }
  if (row.status === null) return { state: row.isLeaseOver ? 'unknown' : 'running', owner: row.owner }
  const answer = { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' }
  return { state: 'answered', answer, secret: row.secret }
}

const idOf = ({ scope, key }: KeyedRequest): Buffer =>
  createHash('sha256').update(`${scope}\n${key}`).digest()
