import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { type StoreBudget, storeBudget } from '@platform/kernel'
import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { Connection } from './connection.ts'
import { ConnectionLine } from './connection-line.ts'
import type { DatabaseLoad } from './database.ts'
import { DatabaseError, toConnectError } from './database-error.ts'
import { type PostgresSettings, poolConfig } from './postgres-settings.ts'
import { checkServer } from './server-check.ts'
import { MAX_NAMED } from './statement.ts'

/** How long closing waits for statements on their way. */
const CLOSE_MS = 3000
/** How long closing waits for the server to respond to the goodbyes. */
const GOODBYE_MS = 300

/** A connection of the pool while work uses it. */
export interface LentConnection {
  client: PoolClient
  /**
   * What is left of the time a statement has: waiting for the connection is taken from it, so that both end in three
   * seconds.
   */
  timeLeftMs: number
  /** `timeoutMs`, or less where the request has less left to wait. */
  within(timeoutMs: number): number
  /** Set when the state of the connection is unknown: it is cut, never used again. */
  broken: boolean
}

/** A bounded pool: waiting for a connection has an end, and so has the number of those who wait. */
export interface BoundedPool {
  /**
   * Work that `isLong` is not for a request that waits: it spends nothing of its budget and is not limited by it.
   */
  lend<T>(work: (lent: LentConnection) => Promise<T>, isLong?: boolean): Promise<T>
  load(): DatabaseLoad
  close(): Promise<void>
}

export function openPool(settings: PostgresSettings): BoundedPool {
  const open = new Set<Connection>()
  /** Known from its beginning: one that is still being opened is closed with the others. */
  class Pooled extends Connection {
    constructor(config?: ClientConfig) {
      super(config)
      open.add(this)
      this.once('end', () => open.delete(this))
    }
  }
  const pool = new Pool({
    ...poolConfig(settings),
    Client: Pooled,
    onConnect: (client) => checkServer(client, settings),
  })
  // An idle connection lost with its server is replaced at the next statement; unheard, this event ends the process.
  pool.on('error', () => undefined)
  const line = new ConnectionLine(pool, settings.calmSize)
  const drained = Promise.withResolvers<void>()
  const done = { calls: 0, failures: 0, seconds: 0 }
  /** What the work itself thinks of its data is no failure of the database. */
  const noted = (error: unknown): unknown => {
    if (error instanceof DatabaseError) done.failures += 1
    return error
  }
  let lentCount = 0
  let closed: Promise<void> | undefined

  return {
    async lend(work, isLong = false) {
      if (closed !== undefined)
        throw new DatabaseError('The database handle is closed.', { unavailable: true })
      const budget = isLong ? undefined : storeBudget()
      requireTime(budget, settings)
      lentCount += 1
      const startedAt = performance.now()
      budget?.beginWait()
      try {
        const client = await acquire(line, settings, budget)
        return await workWith(client, { line, settings, budget, startedAt }, work)
      } catch (error) {
        throw noted(error)
      } finally {
        budget?.endWait()
        lentCount -= 1
        done.calls += 1
        done.seconds += (performance.now() - startedAt) / 1000
        if (lentCount === 0 && closed !== undefined) drained.resolve()
      }
    },
    load: () => ({
      active: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: line.length,
      max: pool.options.max,
      ...done,
    }),
    close: () => {
      if (lentCount === 0) drained.resolve()
      closed ??= closePool(pool, open, drained.promise)
      return closed
    },
  }
}

/** A statement that has less time than this would only cost its connection. */
const LEAST_MS = 20

function requireTime(budget: StoreBudget | undefined, { address }: PostgresSettings): void {
  if (budget === undefined || budget.leftMs >= LEAST_MS) return
  const message = `The request has waited for the database at ${address} as long as it may.`
  throw new DatabaseError(message, { unavailable: true })
}

interface Begun {
  line: ConnectionLine
  settings: PostgresSettings
  budget: StoreBudget | undefined
  startedAt: number
}

async function workWith<T>(
  client: PoolClient,
  { line, settings, budget, startedAt }: Begun,
  work: (lent: LentConnection) => Promise<T>,
): Promise<T> {
  const waitedMs = performance.now() - startedAt
  const lent: LentConnection = {
    client,
    timeLeftMs: settings.statementTimeoutMs + settings.connectTimeoutMs - waitedMs,
    within: (timeoutMs) =>
      budget === undefined ? timeoutMs : Math.max(1, Math.min(timeoutMs, budget.leftMs)),
    broken: false,
  }
  try {
    return await work(lent)
  } finally {
    if (lent.broken && client instanceof Connection) client.cut()
    line.giveBack(client, lent.broken || hasPreparedEnough(client))
  }
}

/** Only the end of a connection makes the server forget statements that are no longer used. */
const hasPreparedEnough = (client: PoolClient): boolean =>
  client instanceof Connection && client.prepared.size > 2 * MAX_NAMED

async function acquire(
  line: ConnectionLine,
  settings: PostgresSettings,
  budget: StoreBudget | undefined,
): Promise<PoolClient> {
  if (line.length >= settings.maxWaiting) {
    const message = `The database at ${settings.address} is busy: ${line.length} statements wait already.`
    throw new DatabaseError(message, { unavailable: true })
  }
  try {
    return await line.take(Math.min(settings.connectTimeoutMs, budget?.leftMs ?? Number.POSITIVE_INFINITY))
  } catch (error) {
    throw toConnectError(error, settings)
  }
}

/** Lets statements end and says goodbye, but never waits long for a server that doesn't respond. */
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
