import { escapeIdentifier, type Notification } from 'pg'
import type { Connection } from './connection.ts'
import { breaksConnection } from './database-error.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { runText } from './statement.ts'
import type { ConnectionUser, SteadyConnection } from './steady-connection.ts'

const LISTEN_MS = 1500

interface Listener {
  onNotice(payload: string): void
  onGap?: (() => void) | undefined
  /** True while notices may go past it: no connection, or none yet that listens. */
  missing: boolean
}

/** Who listens to which channel; follows the connection as it comes and goes. */
export class Notices implements ConnectionUser {
  readonly #channels = new Map<string, Set<Listener>>()
  readonly #onFailure: PostgresSettings['onFailure']

  constructor(onFailure: PostgresSettings['onFailure']) {
    this.#onFailure = onFailure
  }

  async up(connection: Connection): Promise<void> {
    connection.on('notification', (notice) => this.#deliver(notice))
    for (const channel of this.#channels.keys()) await listenTo(connection, channel)
    for (const listener of this.#all()) {
      if (listener.missing) queueMicrotask(() => listener.onGap?.())
      listener.missing = false
    }
  }

  down(): void {
    for (const listener of this.#all()) listener.missing = true
  }

  async listen(
    steady: SteadyConnection,
    channel: string,
    onNotice: (payload: string) => void,
    onGap?: () => void,
  ): Promise<AsyncDisposable> {
    const listener: Listener = { onNotice, onGap, missing: false }
    const listeners = this.#channels.get(channel) ?? new Set()
    this.#channels.set(channel, listeners.add(listener))
    steady.start()
    await steady.attempted()
    const connection = steady.current()
    if (connection === undefined) listener.missing = true
    else await this.#listenOn(connection, channel, listener)
    return { [Symbol.asyncDispose]: () => this.#drop(steady, channel, listener) }
  }

  /** What kept it from listening is met by the next connection, which listens to every channel and reports the gap. */
  async #listenOn(connection: Connection, channel: string, listener: Listener): Promise<void> {
    try {
      await listenTo(connection, channel)
    } catch (err) {
      listener.missing = true
      if (breaksConnection(err)) return
      this.#onFailure({ err, channel }, 'a channel could not be listened to, the connection is opened anew')
      connection.cut()
    }
  }

  async #drop(steady: SteadyConnection, channel: string, listener: Listener): Promise<void> {
    const listeners = this.#channels.get(channel)
    listeners?.delete(listener)
    if (listeners === undefined || listeners.size > 0) return
    this.#channels.delete(channel)
    const connection = steady.current()
    if (connection === undefined) return
    await runText(connection, `unlisten ${escapeIdentifier(channel)}`, LISTEN_MS).catch(() => undefined)
  }

  #deliver(notice: Notification): void {
    for (const listener of this.#channels.get(notice.channel) ?? []) {
      // Outside pg's own parsing, which an exception of a listener would leave half done.
      queueMicrotask(() => listener.onNotice(notice.payload ?? ''))
    }
  }

  #all(): Listener[] {
    return [...this.#channels.values()].flatMap((listeners) => [...listeners])
  }
}

const listenTo = (connection: Connection, channel: string) =>
  runText(connection, `listen ${escapeIdentifier(channel)}`, LISTEN_MS)
