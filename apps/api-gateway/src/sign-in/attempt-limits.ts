import { createHash } from 'node:crypto'
import type { Cache } from '@platform/cache'
import { MINUTE_MS } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import { networkOf } from '../rate-limits/network-of.ts'

/** How often somebody may try to sign in. */
export interface AttemptLimits {
  /** Counts an attempt before its password is looked at. Answers the seconds to wait when there were too many, else undefined. */
  count(email: string, ip: string): Promise<number | undefined>
  /** Forgets the attempts at an address: its owner has signed in. */
  forget(email: string): Promise<void>
}

/** Per address (reference 5.3), and per client for those who try one password at many addresses. */
const PER_EMAIL = 5
const PER_IP = 60

/** Never in anybody's way: for measurements, on an operator's demand only. */
export const noAttemptLimits: AttemptLimits = { count: async () => undefined, forget: async () => undefined }

/**
 * Counts attempts in the minute after the first one, for all instances together; while the cache does not answer each process counts
 * for itself, so that nobody gets free tries.
 */
export function attemptLimits({ cache }: { cache: Pick<Cache, 'increment' | 'delete'> }): AttemptLimits {
  const own = new LRUCache<string, number>({ max: 20_000, ttl: MINUTE_MS })
  const countOwn = (key: string) => {
    const value = (own.get(key) ?? 0) + 1
    own.set(key, value, { noUpdateTTL: true })
    return value
  }
  const count = (key: string) => cache.increment(key, 1, MINUTE_MS).catch(() => countOwn(key))

  return {
    async count(email, ip) {
      const [ofEmail, ofIp] = await Promise.all([
        count(keyOf('email', email)),
        count(keyOf('ip', networkOf(ip))),
      ])
      return ofEmail <= PER_EMAIL && ofIp <= PER_IP ? undefined : MINUTE_MS / 1000
    },
    async forget(email) {
      const key = keyOf('email', email)
      own.delete(key)
      await cache.delete(key).catch(() => undefined)
    },
  }
}

/** Hashed: the cache is no place for a list of addresses. */
const keyOf = (kind: string, subject: string): string =>
  `sign-in:${kind}:${createHash('sha256').update(subject).digest('base64url')}`
