import type { Clock } from '@platform/kernel'
import { LRUCache } from 'lru-cache'

/** No answer is older than this: permission changes reach every instance within a second (decisions D). */
const MAX_AGE_MS = 1000
/** From this age on, an answer in use is renewed beside the request, so that busy callers never wait for the database. */
const RENEW_AFTER_MS = 500
const MAX_ANSWERS = 20_000

interface Entry<Value> {
  /** When the question was asked; the answer can't be younger. */
  askedAt: number
  value: Promise<Value>
  renewing: boolean
}

/** Answers asked for within the last second; callers with the same question share one round trip. */
export interface RecentAnswers<Value> {
  get(key: string, ask: () => Promise<Value>): Promise<Value>
  /** Makes the next question of every key go to the database. */
  clear(): void
}

/** A bounded cache of answers that are at most one second old. Failures are not kept. */
export function recentAnswers<Value>(clock: Clock): RecentAnswers<Value> {
  const entries = new LRUCache<string, Entry<Value>>({ max: MAX_ANSWERS })
  const nowMs = () => clock.now().getTime()

  const start = (key: string, ask: () => Promise<Value>): Entry<Value> => {
    const entry: Entry<Value> = { askedAt: nowMs(), value: ask(), renewing: false }
    entries.set(key, entry)
    entry.value.catch(() => {
      if (entries.peek(key) === entry) entries.delete(key)
    })
    return entry
  }
  const renew = (key: string, entry: Entry<Value>, ask: () => Promise<Value>): void => {
    entry.renewing = true
    const next: Entry<Value> = { askedAt: nowMs(), value: ask(), renewing: false }
    const replace = () => {
      if (entries.peek(key) === entry) entries.set(key, next)
    }
    // A failed renewal lets the old answer run out; whoever asks then is told.
    next.value.then(replace, () => undefined)
  }
  return {
    get(key, ask) {
      const entry = entries.get(key)
      const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : nowMs() - entry.askedAt
      if (entry === undefined || ageMs > MAX_AGE_MS || ageMs < 0) return start(key, ask).value
      if (ageMs > RENEW_AFTER_MS && !entry.renewing) renew(key, entry, ask)
      return entry.value
    },
    clear: () => entries.clear(),
  }
}
