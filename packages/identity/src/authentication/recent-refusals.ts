import { atMost, Failure } from '@platform/kernel'
import { LRUCache } from 'lru-cache'

const REFUSED_MAX = 10_000
const REMEMBERED_MS = 2000

/**
 * Sessions and tokens that were just found to be over, so that a program that goes on calling with one costs a
 * look-up every two seconds instead of one a call. Asked only after signature or checksum were right, so strangers
 * can't fill it.
 */
export class RecentRefusals {
  readonly #refused = new LRUCache<string, Failure>({ ...atMost(REFUSED_MAX), ttl: REMEMBERED_MS })

  /** What `open` answers; when it has thrown AuthenticationError for this key a moment ago, that again. */
  async unlessRefused<Opened>(key: string, open: () => Promise<Opened>): Promise<Opened> {
    const refusal = this.#refused.get(key)
    if (refusal !== undefined) throw refusal
    try {
      return await open()
    } catch (error) {
      if (error instanceof Failure && error.name === 'AuthenticationError') this.#refused.set(key, error)
      throw error
    }
  }
}
