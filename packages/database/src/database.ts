import type { Sql } from 'sql-template-tag'

/** How long one statement may take; every statement has a limit. */
export interface QueryOptions {
  /** Defaults to the pool's own (2 s). Raise it only off the request path. */
  timeoutMs?: number
}

export interface TransactionOptions extends QueryOptions {
  /**
   * Writes nothing, which the server enforces. Only such a transaction may wait for something else than its
   * statements: it has locks and a connection, but no transaction id, for whose end all readers of the outbox would
   * wait.
   */
  readOnly?: boolean
}

/** Where statements run: the pool, or one transaction. */
export interface Queries {
  /** Runs one statement. Throws DatabaseError: `unavailable` when the server doesn't respond in time. */
  many<Row>(statement: Sql, options?: QueryOptions): Promise<Row[]>

  /**
   * Tells all who listen to `channel`: at once, and in a transaction after it was committed. Never `pg_notify` in a
   * statement that writes, which makes the commits of everybody wait for each other (docs/adr/0059). A notice may be
   * lost, for example with the process: who listens also looks by itself now and then.
   */
  notify(channel: string, payload?: string): void
}

/** What a handle is doing, and what it has done so far. */
export interface DatabaseLoad {
  /** Connections of the pool that work. */
  active: number
  idle: number
  /** Statements that wait for a connection. */
  waiting: number
  /** Connections the pool may have. */
  max: number
  /**
   * Statements and transactions since the handle was opened, those that failed, and the seconds they took with their
   * waiting.
   */
  calls: number
  failures: number
  seconds: number
}

/** Shows other processes that the holder of a lease lives. */
export interface Presence {
  /**
   * Goes into each lease this process takes, and stays the same while the process lives. Null while others could not
   * see whether it lives: then its leases end when their time is over, and not before.
   */
  id(): number | null
  /**
   * Calls `onLost` when the connection is lost: others may take what this process has leased, unless it is announced
   * again soon.
   */
  onLost(onLost: () => void): Disposable
}

/** A PostgreSQL database behind a bounded pool. Every wait has an end; it recovers by itself when the server does. */
export interface Database extends Queries, AsyncDisposable {
  readonly driver: string

  /** Runs `work` in one transaction on one connection; inside, only `tx` is used. */
  transaction<T>(work: (tx: Queries) => Promise<T>, options?: TransactionOptions): Promise<T>

  /**
   * Calls `onNotice` for each NOTIFY on `channel`. All listeners of a handle share one connection, opened again when
   * lost; `onGap` is called after each reconnection, because notices may have been missed.
   */
  listen(channel: string, onNotice: (payload: string) => void, onGap?: () => void): Promise<AsyncDisposable>

  /**
   * Runs `work` whenever this process has the named lock, which one process of the cluster has at a time. The
   * signal aborts when the lock is lost or the handle closes. Returns at once; disposing gives the lock back and
   * waits for `work` to end.
   */
  whileLeader(name: string, work: (signal: AbortSignal) => Promise<void>): AsyncDisposable

  /** Shows others that this process lives. The connection for it is opened at the first call. */
  presence(): Presence

  /** For metrics; sends nothing to the server. */
  load(): DatabaseLoad

  /** Rejects with DatabaseError when the server doesn't respond. */
  ping(signal: AbortSignal): Promise<void>
}
