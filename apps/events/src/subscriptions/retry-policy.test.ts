import { DAY_MS, HOUR_MS } from '@platform/kernel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextTry } from './retry-policy.ts'

const begunAt = new Date('2026-01-01T00:00:00Z')

describe('the tries of a delivery', () => {
  it('go on for 24 hours with growing pauses, the last one at their end', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (randoms) => {
        const times: number[] = [begunAt.getTime()]
        for (const random of randoms) {
          const now = new Date(times.at(-1) ?? 0)
          const next = nextTry({ tries: times.length, begunAt, now, retryAfterMs: undefined, random })
          if (next === undefined) break
          times.push(next.getTime())
        }
        expect(times.length).toBeGreaterThan(8)
        expect(times.length).toBeLessThan(20)
        expect(times.at(-1)).toBe(begunAt.getTime() + DAY_MS)
        expect(times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0))).toBe(true)
      }),
    )
  })

  it('wait as long as the endpoint asks, within bounds', () => {
    const asked = (retryAfterMs: number) =>
      nextTry({ tries: 1, begunAt, now: begunAt, retryAfterMs, random: 0.5 })?.getTime()
    expect(asked(60_000)).toBe(begunAt.getTime() + 60_000)
    expect(asked(0)).toBe(begunAt.getTime() + 5000)
    expect(asked(90 * DAY_MS)).toBe(begunAt.getTime() + 6 * HOUR_MS)
  })
})
