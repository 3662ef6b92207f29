import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { toConnectError } from './classify-error.ts'
import { Connection } from './connection.ts'
import type { DatabaseLoad } from './database.ts'
import { DatabaseError } from './database-error.ts'
import { type PostgresSettings, poolConfig } from './postgres-settings.ts'
import { checkServer } from './server-check.ts'
import { MAX_NAMED } from './statement-names.ts'

/** How long closing waits for statements on their way. */
const CLOSE_MS = 3000
/** How long closing waits for the server to answer the goodbyes. */
const GOODBYE_MS = 300

/** A connection of the pool while somebody works with it. */
export interface Lease {
  client: PoolClient
  /** What is left of the time a statement has: waiting for the connection is taken from it, so that both end in three seconds. */
  timeLeftMs: number
  /** Set when nobody knows what the connection is in the middle of: it is cut, never used again. */
  broken: boolean
}

/** A bounded pool: waiting for a connection has an end, and so has the number of those who wait. */
export interface BoundedPool {
  lend<T>(work: (lease: Lease) => Promise<T>): Promise<T>
  load(): DatabaseLoad
  close(): Promise<void>
}

export function openPool(settings: PostgresSettings): BoundedPool {
  const open = new Set<Connection>()
  const pool = new Pool({ ...poolConfig(settings), onConnect: (client) => checkServer(client, settings) })
  // An idle connection lost with its server is replaced at the next statement; unheard, this event ends the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client instanceof Connection && open.add(client))
  pool.on('remove', (client) => client instanceof Connection && open.delete(client))
  const drained = Promise.withResolvers<void>()
  const done = { calls: 0, failures: 0, seconds: 0 }
  /** What the work itself thinks of its data is no failure of the database. */
  const noted = (error: unknown): unknown => {
    if (error instanceof DatabaseError) done.failures += 1
    return error
  }
  let lent = 0
  let closed: Promise<void> | undefined

  return {
    async lend(work) {
      if (closed !== undefined)
        throw new DatabaseError('The database handle is closed.', { unavailable: true })
      lent += 1
      const startedAt = performance.now()
      try {
        const client = await acquire(pool, settings)
        return await workWith(client, settings, startedAt, work)
      } catch (error) {
        throw noted(error)
      } finally {
        lent -= 1
        done.calls += 1
        done.seconds += (performance.now() - startedAt) / 1000
        if (lent === 0 && closed !== undefined) drained.resolve()
      }
    },
    load: () => ({
      active: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: pool.options.max,
      ...done,
    }),
    close: () => {
      if (lent === 0) drained.resolve()
      closed ??= closePool(pool, open, drained.promise)
      return closed
    },
  }
}

async function workWith<T>(
  client: PoolClient,
  settings: PostgresSettings,
  startedAt: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const waitedMs = performance.now() - startedAt
  const timeLeftMs = settings.statementTimeoutMs + settings.connectTimeoutMs - waitedMs
  const lease: Lease = { client, timeLeftMs, broken: false }
  try {
    return await work(lease)
  } finally {
    if (lease.broken && client instanceof Connection) client.cut()
    client.release(lease.broken || hasPreparedEnough(client))
  }
}

/** Nothing tells the server to forget statements that nobody uses any more, but the end of the connection. */
const hasPreparedEnough = (client: PoolClient): boolean =>
  client instanceof Connection && client.prepared.size > 2 * MAX_NAMED

async function acquire(pool: Pool, settings: PostgresSettings): Promise<PoolClient> {
  if (pool.waitingCount >= settings.maxWaiting) {
    const message = `The database at ${settings.address} is busy: ${pool.waitingCount} statements wait already.`
    throw new DatabaseError(message, { unavailable: true })
  }
  try {
    return await pool.connect()
  } catch (error) {
    throw toConnectError(error, settings)
  }
}

/** Lets statements end and says goodbye, but never waits long for a server that doesn't answer. */
async function closePool(pool: Pool, open: Set<Connection>, drained: Promise<void>): Promise<void> {
  await within(CLOSE_MS, drained)
  await within(GOODBYE_MS, pool.end())
  // One that the server ends at the same moment says so with an error: it is closed all the same.
  await within(GOODBYE_MS, Promise.allSettled([...open].map((connection) => once(connection, 'end'))))
  for (const connection of open) connection.cut()
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const timer = pause(milliseconds, undefined, { signal: over.signal }).catch(() => undefined)
  await Promise.race([work, timer])
  over.abort()
}
