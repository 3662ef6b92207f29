/** What every instance hears, best effort: it never carries what must not be lost, pollers are the safety net. */
export interface Announcements {
  /** Tells all instances. `payload` is at most 7,000 bytes. */
  announce(topic: string, payload: string): Promise<void>
  /** Calls `handle` for each announcement of `topic`, and `onGap` when some may have been missed (connection lost). */
  listen(topic: string, handle: (payload: string) => void, onGap?: () => void): Promise<AsyncDisposable>
}
