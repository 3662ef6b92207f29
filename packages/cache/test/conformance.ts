import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { Cache } from '../src/cache.ts'

const newKey = () => `test:${randomBytes(8).toString('hex')}`
const MINUTE_MS = 60_000

/** What every cache promises (port cache.ts). */
export function cacheConformance(cache: () => Cache): void {
  describe('cache', () => {
    it('gets what was set, be it any text', async () => {
      const key = newKey()
      const value = `é"\n\0🚀${'x'.repeat(10_000)}`
      await cache().set(key, value, MINUTE_MS)
      expect(await cache().get(key)).toBe(value)
      await cache().set(key, '', MINUTE_MS)
      expect(await cache().get(key)).toBe('')
    })

    it('gets nothing for a key that was never set', async () => {
      expect(await cache().get(newKey())).toBeUndefined()
    })

    it('deletes a key, also one that was never set', async () => {
      const key = newKey()
      await cache().set(key, 'value', MINUTE_MS)
      await cache().delete(key)
      await cache().delete(newKey())
      expect(await cache().get(key)).toBeUndefined()
    })

    it('forgets a key when its time is over', async () => {
      const short = newKey()
      const long = newKey()
      await Promise.all([cache().set(short, 'value', 50), cache().set(long, 'value', MINUTE_MS)])
      expect(await cache().get(short)).toBe('value')
      await vi.waitFor(async () => expect(await cache().get(short)).toBeUndefined(), { interval: 10 })
      expect(await cache().get(long)).toBe('value')
    })

    it('begins the time anew when a key is set again', async () => {
      const key = newKey()
      await cache().set(key, 'first', 50)
      await cache().set(key, 'second', MINUTE_MS)
      await pause(100)
      expect(await cache().get(key)).toBe('second')
    })

    it('takes times that are no whole milliseconds', async () => {
      const key = newKey()
      await cache().set(key, 'value', 1000.5)
      await cache().increment(newKey(), 1, 1000.5)
      expect(await cache().get(key)).toBe('value')
    })

    it('counts, also for many at once and by any step', async () => {
      const key = newKey()
      const counted = await Promise.all(
        Array.from({ length: 50 }, () => cache().increment(key, 2, MINUTE_MS)),
      )
      const values = counted.map(({ value }) => value).sort((a, b) => a - b)
      expect(values).toEqual(Array.from({ length: 50 }, (_, index) => 2 * (index + 1)))
      expect(await cache().increment(key, -100, MINUTE_MS)).toMatchObject({ value: 0 })
      expect(await cache().get(key)).toBe('0')
    })

    it('lets a counter vanish a fixed time after its first use', async () => {
      const key = newKey()
      const firstUseAt = performance.now()
      await cache().increment(key, 1, 300)
      await vi.waitFor(async () => expect(await cache().increment(key, 1, 300)).toMatchObject({ value: 1 }), {
        interval: 20,
        timeout: 3000,
      })
      const livedMs = performance.now() - firstUseAt
      expect(livedMs).toBeGreaterThan(250)
      expect(livedMs).toBeLessThan(1500)
    })

    it('tells how long a counter still exists', async () => {
      const key = newKey()
      expect(await cache().increment(key, 1, 1000)).toEqual({ value: 1, remainingMs: 1000 })
      await pause(50)
      const { remainingMs } = await cache().increment(key, 1, MINUTE_MS)
      expect(remainingMs).toBeGreaterThan(0)
      expect(remainingMs).toBeLessThan(960)
    })

    it('refuses to count what is no number, and goes on working', async () => {
      const key = newKey()
      await cache().set(key, 'text', MINUTE_MS)
      await expect(cache().increment(key, 1, MINUTE_MS)).rejects.toMatchObject({ name: 'CacheError' })
      expect(await cache().get(key)).toBe('text')
    })

    const within = (limit: number, amount = 1, windowMs = MINUTE_MS) => ({ limit, amount, windowMs })

    it('takes from a window as much as there is room, and counts nothing else', async () => {
      const key = newKey()
      expect(await cache().slide(key, within(5, 3))).toEqual({ isTaken: true, used: 3, waitMs: 0 })
      const refused = await cache().slide(key, within(5, 3))
      expect(refused).toMatchObject({ isTaken: false, used: 3 })
      expect(refused.waitMs).toBeGreaterThan(MINUTE_MS - 1000)
      expect(refused.waitMs).toBeLessThanOrEqual(MINUTE_MS)
      expect(await cache().slide(key, within(5, 0))).toEqual({ isTaken: true, used: 3, waitMs: 0 })
      expect(await cache().slide(key, within(5, 2))).toEqual({ isTaken: true, used: 5, waitMs: 0 })
      expect(await cache().slide(newKey(), within(5, 6))).toEqual({
        isTaken: false,
        used: 0,
        waitMs: MINUTE_MS,
      })
      expect(await cache().slide(newKey(), within(0))).toMatchObject({ isTaken: false })
    })

    it('takes exactly the limit from a window, however many ask at once', async () => {
      const key = newKey()
      const states = await Promise.all(Array.from({ length: 60 }, () => cache().slide(key, within(25))))
      expect(states.filter(({ isTaken }) => isTaken)).toHaveLength(25)
    })

    it('never lets more than the limit into any window, wherever it begins', async () => {
      const key = newKey()
      const taken: { askedAt: number; knownAt: number }[] = []
      for (const endsAt = performance.now() + 900; performance.now() < endsAt; await pause(10)) {
        const askedAt = performance.now()
        const { isTaken } = await cache().slide(key, within(4, 1, 200))
        if (isTaken) taken.push({ askedAt, knownAt: performance.now() })
      }
      expect(taken.length).toBeGreaterThanOrEqual(12)
      for (const [index, { askedAt }] of taken.entries()) {
        const fifth = taken[index + 4]
        if (fifth !== undefined) expect(fifth.knownAt - askedAt).toBeGreaterThan(198)
      }
    })

    it('has room again when it said so', async () => {
      const key = newKey()
      await cache().slide(key, within(2, 1, 200))
      await pause(60)
      await cache().slide(key, within(2, 1, 200))
      const { isTaken, waitMs } = await cache().slide(key, within(2, 1, 200))
      expect([isTaken, waitMs <= 150]).toEqual([false, true])
      await pause(waitMs + 5)
      expect(await cache().slide(key, within(2, 1, 200))).toMatchObject({ isTaken: true, used: 2 })
    })

    it('takes fractions, and limits too large to keep each use', async () => {
      const key = newKey()
      for (let count = 0; count < 4; count += 1)
        expect(await cache().slide(key, within(1, 0.25))).toMatchObject({ isTaken: true })
      expect(await cache().slide(key, within(1, 0.25))).toMatchObject({ isTaken: false, used: 1 })
      const large = newKey()
      expect(await cache().slide(large, within(1_000_000, 999_999))).toMatchObject({ isTaken: true })
      expect(await cache().slide(large, within(1_000_000, 2))).toMatchObject({ isTaken: false })
      expect(await cache().slide(large, within(1_000_000, 1))).toMatchObject({
        isTaken: true,
        used: 1_000_000,
      })
    })

    it('answers a probe', async () => {
      await expect(cache().probe(AbortSignal.timeout(2000))).resolves.toBeUndefined()
    })
  })
}
