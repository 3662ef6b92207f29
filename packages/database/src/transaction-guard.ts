import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { DatabaseError } from './database-error.ts'

/** What a transaction can be seen to wait for beside its own statements, by the channels of Node and undici. */
const WAITS = {
  'undici:request:create': 'an HTTP request',
  'http.client.request.start': 'an HTTP request',
  'net.client.socket': 'a connection',
} as const

/** A transaction under way. */
export interface Guarded {
  over: boolean
  /** Why it may not be committed. */
  fault?: DatabaseError
}

/**
 * Finds transactions that wait for something else than their own statements. While one does, it keeps its locks, its
 * connection and its transaction id, for whose end every reader of the outbox waits: one slow search would stop all
 * events of the platform. For tests: following every call through all it leads to costs too much elsewhere.
 */
export class TransactionGuard implements Disposable {
  readonly #current = new AsyncLocalStorage<Guarded>()
  readonly #listeners = Object.entries(WAITS).map(([channel, what]) => ({
    channel,
    onWait: () => void this.stray(what),
  }))

  constructor() {
    for (const { channel, onWait } of this.#listeners) subscribe(channel, onWait)
  }

  run<T>(transaction: Guarded, work: () => Promise<T>): Promise<T> {
    return this.#current.run(transaction, work)
  }

  /**
   * Called for what a transaction must not wait for. Returns the fault where one is under way, which then can't be
   * committed.
   */
  stray(what: string): DatabaseError | undefined {
    const transaction = this.#current.getStore()
    if (transaction === undefined || transaction.over) return undefined
    const message = `A transaction waited for ${what}: do that before it begins or after it has ended.`
    transaction.fault ??= new DatabaseError(message, { unavailable: false })
    return transaction.fault
  }

  [Symbol.dispose](): void {
    for (const { channel, onWait } of this.#listeners) unsubscribe(channel, onWait)
  }
}
