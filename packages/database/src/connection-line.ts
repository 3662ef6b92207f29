import type { Pool, PoolClient } from 'pg'
import { Connection } from './connection.ts'

interface Waiting {
  readonly since: number
  /** It stands in the line no more. */
  isOver: boolean
  resolve(client: PoolClient): void
  reject(error: unknown): void
}

/** So long a statement waits before one more connection than `calmSize` is used, for all that wait. */
const PATIENCE_MS = 50

/**
 * Gives out the connections of a pool. Who finds none free has one opened, and takes whichever is free first: a new
 * one, or one that is given back meanwhile. The pool itself ties a caller to the connection that was opened for it:
 * while the machine is so busy that opening takes long, callers would fail beside free connections (docs/adr/0061).
 *
 * More than `calmSize` are used only where statements are so long that others wait for them: a server does no more at
 * once than it has cores for, and each connection that is in use keeps its memory (docs/adr/0086).
 */
export class ConnectionLine {
  readonly #pool: Pool
  readonly #calmSize: number
  /** Those that have waited longest come first. Not a Set, which would keep what it held alive (see SlotList). */
  readonly #waiting: Waiting[] = []
  /** Connections the pool was asked for, and that did not come yet. */
  #asked = 0
  #patience: NodeJS.Timeout | undefined
  /** When one more than the calm ones was asked for. */
  #exceededAt = Number.NEGATIVE_INFINITY

  constructor(pool: Pool, calmSize = Number.POSITIVE_INFINITY) {
    this.#pool = pool
    this.#calmSize = calmSize
  }

  /** Callers that wait for a connection. */
  get length(): number {
    return this.#waiting.length
  }

  /** Rejects when none is free within `timeoutMs`. */
  async take(timeoutMs: number): Promise<PoolClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PoolClient>()
    const waiting = { since: performance.now(), isOver: false, resolve, reject }
    this.#waiting.push(waiting)
    const timer = setTimeout(() => reject(new Error('timeout: no connection was free')), timeoutMs)
    this.#ask()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      if (!waiting.isOver) this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
    }
  }

  /** Takes a connection back, for whoever waits longest; one that is used up is closed. */
  giveBack(client: PoolClient, isUsedUp: boolean): void {
    const isOver = isUsedUp || (client instanceof Connection && client.isCut)
    const next = isOver ? undefined : this.#next()
    if (next === undefined) client.release(isOver)
    else next.resolve(client)
    if (isOver) this.#ask()
  }

  /** One for each that waits is enough, whoever it comes to: more would only stand in the line of the pool. */
  #ask(): void {
    if (this.#asked >= this.#waiting.length) return
    if (this.#pool.totalCount - this.#pool.idleCount < this.#calmSize) this.#askNow()
    else
      this.#patience ??= setTimeout(
        () => {
          this.#patience = undefined
          this.#exceed()
        },
        Math.max(1, this.#patienceLeftMs),
      )
  }

  /** Uses one more where somebody has waited for so long, and asks again for those that wait. */
  #exceed(): void {
    if (this.#asked < this.#waiting.length && this.#patienceLeftMs <= 0) {
      this.#exceededAt = performance.now()
      this.#askNow()
    }
    this.#ask()
  }

  /** Milliseconds until who waits longest has done so for long enough, and the last one more has had time to help. */
  get #patienceLeftMs(): number {
    const since = Math.max(this.#waiting[0]?.since ?? performance.now(), this.#exceededAt)
    return Math.ceil(since + PATIENCE_MS - performance.now())
  }

  #askNow(): void {
    this.#asked += 1
    this.#pool.connect().then(
      (client) => {
        this.#asked -= 1
        this.giveBack(client, false)
      },
      (error: unknown) => {
        this.#asked -= 1
        // Who was given another connection misses nothing; for each of the others one is still to come.
        if (this.#asked >= this.#waiting.length) return
        // All connections are at work: who waits has a limit of his own.
        if (isQueueTimeout(error)) this.#ask()
        else this.#next()?.reject(error)
      },
    )
  }

  #next(): Waiting | undefined {
    const next = this.#waiting.shift()
    if (next !== undefined) next.isOver = true
    return next
  }
}

/** The pool gives up a question that it had no connection for; one that could not be opened is another error. */
const isQueueTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'timeout exceeded when trying to connect'
