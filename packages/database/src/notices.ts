import { escapeIdentifier, type Notification } from 'pg'
import type { Connection } from './connection.ts'
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
    // A failure here is a lost connection: the next one listens to every channel and reports the gap.
    else await listenTo(connection, channel).catch(() => undefined)
    return { [Symbol.asyncDispose]: () => this.#drop(steady, channel, listener) }
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
