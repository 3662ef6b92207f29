import type { Pool, PoolClient } from 'pg'
import { Connection } from './connection.ts'

interface Waiting {
  resolve(client: PoolClient): void
  reject(error: unknown): void
}

/**
 * Gives out the connections of a pool. Who finds none free has one opened, and takes whichever is free first: a new
 * one, or one that is given back meanwhile. The pool itself ties a caller to the connection that was opened for it:
 * while the machine is so busy that opening takes long, callers would fail beside free connections (docs/adr/0061).
 */
export class ConnectionLine {
  readonly #pool: Pool
  readonly #waiting = new Set<Waiting>()
  /** Connections the pool was asked for, and that did not come yet. */
  #asked = 0

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Callers that wait for a connection. */
  get length(): number {
    return this.#waiting.size
  }

  /** Rejects when none is free within `timeoutMs`. */
  async take(timeoutMs: number): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    const waiting = { resolve, reject }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => reject(new Error('timeout: no connection was free')), timeoutMs)
    this.#ask()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    }
  }

  /** Takes a connection back, for whoever waits longest; one that is used up is closed. */
  giveBack(client: PoolClient, isUsedUp: boolean): void {
    const isOver = isUsedUp || (client instanceof Connection && client.isCut)
    const next = isOver ? undefined : this.#next()
    if (next === undefined) client.release(isOver)
    else next.resolve(client)
  }

  #ask(): void {
    this.#asked += 1
    this.#pool.connect().then(
      (client) => {
        this.#asked -= 1
        this.giveBack(client, false)
      },
      (error: unknown) => {
        this.#asked -= 1
        // Who was given another connection misses nothing; for each of the others one is still to come.
        if (this.#asked < this.#waiting.size) this.#next()?.reject(error)
      },
    )
  }

  #next(): Waiting | undefined {
    const [next] = this.#waiting
    if (next !== undefined) this.#waiting.delete(next)
    return next
  }
}
