import { setTimeout as pause } from 'node:timers/promises'
import { growingPauseMs } from '@platform/kernel'
import type { Connection } from './connection.ts'
import { runText } from './statement.ts'

/** The server is asked this often, and given this long: a frozen one is noticed in under four seconds. */
const HEARTBEAT_MS = 2000
const RESPONSE_MS = 1500
/** The longest is shorter than others wait before they take the leases of a process that is cut off. */
const PAUSES = { firstMs: 100, longestMs: 1000 }

/** Called when the connection is there (again) and when it is gone. */
export interface ConnectionUser {
  up(connection: Connection): Promise<void>
  down(): void
}

/** One connection outside the pool for what lives longer than a statement; opened again whenever it is lost. */
export interface SteadyConnection extends AsyncDisposable {
  /** Opens the connection if it isn't wanted yet. */
  start(): void
  /** The connection, or undefined while there is none. */
  current(): Connection | undefined
  /** Ends when the next attempt to connect has succeeded or failed; at once while connected. */
  attempted(): Promise<void>
}

export function steadyConnection(
  connect: () => Promise<Connection>,
  users: ConnectionUser[],
): SteadyConnection {
  const closing = new AbortController()
  let current: Connection | undefined
  let attempt = Promise.withResolvers<void>()
  let running: Promise<void> | undefined

  /** True when there was a connection, so that the next one is tried for without delay. */
  async function liveOnce(): Promise<boolean> {
    let connection: Connection | undefined
    try {
      connection = await connect()
      for (const user of users) await user.up(connection)
      current = connection
      attempt.resolve()
      await untilLost(connection, closing.signal)
    } catch {
      // Lost or refused: either way the loop tries again, and those who wait learn it from their own statements.
    }
    const wasUp = current !== undefined
    current = undefined
    if (connection !== undefined) for (const user of users) user.down()
    connection?.cut()
    attempt.resolve()
    attempt = Promise.withResolvers<void>()
    return wasUp
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!closing.signal.aborted) {
      failures = (await liveOnce()) ? 0 : failures + 1
      const { signal } = closing
      await pause(growingPauseMs(failures, PAUSES), undefined, { signal }).catch(() => undefined)
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    current: () => current,
    attempted: () => (current === undefined && !closing.signal.aborted ? attempt.promise : Promise.resolve()),
    async [Symbol.asyncDispose]() {
      closing.abort()
      attempt.resolve()
      await running
    },
  }
}

async function untilLost(connection: Connection, closing: AbortSignal): Promise<void> {
  const lost = new AbortController()
  connection.once('end', () => lost.abort())
  const over = AbortSignal.any([closing, lost.signal])
  while (!over.aborted) {
    await runText(connection, 'select 1', RESPONSE_MS)
    await pause(HEARTBEAT_MS, undefined, { signal: over }).catch(() => undefined)
  }
}
