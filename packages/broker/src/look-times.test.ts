import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LookTimes } from './look-times.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => vi.useRealTimers())

/** When a group looks that begins now and finds `perMs` events each millisecond, which take no time to handle. */
async function looksOf(perMs: number, looks: number): Promise<number[]> {
  const times = new LookTimes()
  const moments: number[] = []
  for (let before = performance.now(); moments.length < looks; ) {
    const now = performance.now()
    times.found(Math.round(perMs * (now - before)))
    before = now
    const moment = times.next()
    moments.push(moment)
    await vi.advanceTimersByTimeAsync(moment - now)
  }
  return moments
}

describe('looking at the log again and again', () => {
  it('is done at the same moments by all', async () => {
    await vi.advanceTimersByTimeAsync(7)
    expect(await looksOf(0.1, 4)).toEqual([15, 30, 45, 60])
  })

  it('is done less often where more comes, still when others look', async () => {
    expect(await looksOf(1.5, 4)).toEqual([15, 30, 60, 90])
    expect(await looksOf(3, 4)).toEqual([105, 120, 180, 240])
  })

  it('rests as long as handling took, up to 20 ms', async () => {
    const times = new LookTimes()
    times.found(1)
    await vi.advanceTimersByTimeAsync(10)
    expect(times.next()).toBe(30)
    times.found(1)
    await vi.advanceTimersByTimeAsync(100)
    expect(times.next()).toBe(135)
  })

  it('counts what has come over all looks since the last rest', async () => {
    const times = new LookTimes()
    await vi.advanceTimersByTimeAsync(40)
    times.found(64)
    await vi.advanceTimersByTimeAsync(10)
    times.found(128)
    expect(times.next()).toBe(60)
    await vi.advanceTimersByTimeAsync(10)
    times.found(20)
    expect(times.next()).toBe(90)
    // One after a second without any is not much.
    await vi.advanceTimersByTimeAsync(1001)
    times.found(1)
    expect(times.next()).toBe(1065)
  })
})
