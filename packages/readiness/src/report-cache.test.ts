import { describe, expect, test, vi } from 'vitest'
import { cachedFor } from './index.ts'

const clockAt = (ms: number) => {
  const clock = { ms, now: () => new Date(clock.ms) }
  return clock
}

describe('keeping a report', () => {
  test('one round serves all who come while it runs, also when nothing is kept', async () => {
    for (const ttlMs of [30_000, 0]) {
      const round = Promise.withResolvers<number>()
      const make = vi.fn(() => round.promise)
      const report = cachedFor(ttlMs, clockAt(0), make)
      const callers = Array.from({ length: 50 }, () => report())
      round.resolve(7)
      expect(await Promise.all(callers)).toEqual(Array(50).fill(7))
      expect(make).toHaveBeenCalledTimes(1)
    }
  })

  test('it is made anew once it is older than its time', async () => {
    const clock = clockAt(0)
    let rounds = 0
    const report = cachedFor(30_000, clock, async () => ++rounds)
    expect(await report()).toBe(1)
    clock.ms = 29_999
    expect(await report()).toBe(1)
    clock.ms = 30_000
    expect(await report()).toBe(2)
  })

  test('a failed round is not kept', async () => {
    const make = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error('down'))
      .mockImplementationOnce(() => {
        throw new Error('at once')
      })
      .mockResolvedValue(1)
    const report = cachedFor(30_000, clockAt(0), make)
    await expect(report()).rejects.toThrow('down')
    await expect(report()).rejects.toThrow('at once')
    expect(await report()).toBe(1)
  })
})
