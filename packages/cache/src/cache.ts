import { StoreError } from '@platform/kernel'
import type { WindowState, WindowUse } from './sliding-window.ts'

/** A counter after it was changed, and for how long it still exists. */
export interface Counted {
  value: number
  remainingMs: number
}

/**
 * Keys that expire, and counters. Only for what may vanish at any moment: every caller must do right without it.
 * Methods reject with CacheError within 150 ms when the server doesn't respond.
 */
export interface Cache extends AsyncDisposable {
  readonly driver: string
  get(key: string): Promise<string | undefined>
  set(key: string, value: string, ttlMs: number): Promise<void>
  delete(key: string): Promise<void>
  /** Adds to a counter that starts at 0 and vanishes `ttlMs` after its first use. */
  increment(key: string, by: number, ttlMs: number): Promise<Counted>
  /** Counts a use of a window that slides; its key is forgotten when nothing in it counts any more. */
  slide(key: string, use: WindowUse): Promise<WindowState>
  /**
   * Writes a key that expires and deletes it, for the report of readiness. Waits longer than other calls: 1 s.
   */
  probe(signal: AbortSignal): Promise<void>
}

/** What every cache driver throws. Always `unavailable`: a caller goes on without the cache. */
export class CacheError extends StoreError {
  override readonly name = 'CacheError'
}
