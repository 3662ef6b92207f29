import { atMost, type Clock } from '@platform/kernel'
import { LRUCache } from 'lru-cache'

/** No answer is older than this: permission changes reach every instance within a second. */
const MAX_AGE_MS = 1000
/**
 * From this age on, an answer in use is renewed beside the request, so that busy callers never wait for the database.
 */
const RENEW_AFTER_MS = 500
const MAX_ANSWERS = 20_000

interface Entry<Value> {
  /** When the question was asked; the answer can't be younger. */
  askedAt: number
  value: Promise<Value>
  renewing: boolean
}

/**
 * Answers asked for within the last second; callers with the same question share one round trip. Where `keepsNothing`
 * is false, the answer that there is nothing is not kept: what was just made is found by the next question, wherever
 * it is asked.
 */
export interface RecentAnswers<Value> {
  get(key: string, ask: () => Promise<Value>): Promise<Value>
  /** Makes the next question of every key go to the database. */
  clear(): void
}

/** A bounded cache of answers that are at most one second old. Failures are not kept. */
export function recentAnswers<Value>(clock: Clock, keepsNothing = true): RecentAnswers<Value> {
  const entries = new LRUCache<string, Entry<Value>>(atMost(MAX_ANSWERS))
  const nowMs = () => clock.now().getTime()

  const forget = (key: string, entry: Entry<Value>): void => {
    if (entries.peek(key) === entry) entries.delete(key)
  }
  const start = (key: string, ask: () => Promise<Value>): Entry<Value> => {
    const entry: Entry<Value> = { askedAt: nowMs(), value: ask(), renewing: false }
    entries.set(key, entry)
    entry.value.then(
      (value) => {
        if (value === undefined && !keepsNothing) forget(key, entry)
      },
      () => forget(key, entry),
    )
    return entry
  }
  /** A question that was asked before may have been answered before what it asks for was made. */
  const join = async (key: string, entry: Entry<Value>, ask: () => Promise<Value>): Promise<Value> => {
    const value = await entry.value
    if (value !== undefined || keepsNothing) return value
    return await (entries.peek(key) ?? start(key, ask)).value
  }
  const renew = (key: string, entry: Entry<Value>, ask: () => Promise<Value>): void => {
    entry.renewing = true
    const next: Entry<Value> = { askedAt: nowMs(), value: ask(), renewing: false }
    const replace = () => {
      if (entries.peek(key) === entry) entries.set(key, next)
    }
    // A failed renewal lets the old answer run out; the next question after that gets the failure.
    next.value.then(replace, () => undefined)
  }
  return {
    get(key, ask) {
      const entry = entries.get(key)
      const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : nowMs() - entry.askedAt
      if (entry === undefined || ageMs > MAX_AGE_MS || ageMs < 0) return start(key, ask).value
      if (ageMs > RENEW_AFTER_MS && !entry.renewing) renew(key, entry, ask)
      return join(key, entry, ask)
    },
    clear: () => entries.clear(),
  }
}
