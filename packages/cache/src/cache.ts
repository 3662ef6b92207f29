/**
 * Keys that expire and counters. Holds only what may vanish at any moment (reliability L3): every caller must do right without it.
 * Methods reject with CacheError within 150 ms when the server doesn't answer.
 */
export interface Cache extends AsyncDisposable {
  readonly driver: string
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  /** Adds to a counter that starts at 0 and vanishes `ttlMs` after its first use. Answers the new value. */
  increment(key: string, by: number, ttlMs: number): Promise<number>
  ping(signal: AbortSignal): Promise<void>
}
