import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LogSleeper } from './log-sleeper.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => vi.useRealTimers())

const { signal } = new AbortController()

/** How long the sleeper sleeps, each time without news. */
async function sleeps(sleeper: LogSleeper, isHeldBack: boolean, times: number): Promise<number[]> {
  const slept: number[] = []
  for (let n = 0; n < times; n += 1) {
    sleeper.awake()
    const before = performance.now()
    const sleeping = sleeper.sleep(isHeldBack, signal)
    await vi.advanceTimersToNextTimerAsync()
    await sleeping
    slept.push(performance.now() - before)
  }
  return slept
}

describe('a reader of the log', () => {
  it('that has seen all sleeps until it is woken, and looks by itself now and then', async () => {
    const sleeper = new LogSleeper()
    await vi.advanceTimersByTimeAsync(100)
    expect(await sleeps(sleeper, false, 2)).toEqual([400, 500])
    sleeper.awake()
    const sleeping = sleeper.sleep(false, signal)
    await vi.advanceTimersByTimeAsync(70)
    sleeper.wake()
    await sleeping
    expect(performance.now()).toBe(1070)
  })

  it('looks again shortly for what is held back, then less and less often', async () => {
    const sleeper = new LogSleeper()
    expect(await sleeps(sleeper, true, 7)).toEqual([5, 15, 50, 150, 500, 280, 500])
    sleeper.wake()
    await sleeper.sleep(true, signal)
    expect(await sleeps(sleeper, true, 2)).toEqual([5, 15])
  })

  it('knows since when there may be something new', async () => {
    const sleeper = new LogSleeper()
    await vi.advanceTimersByTimeAsync(30)
    sleeper.wake()
    await vi.advanceTimersByTimeAsync(20)
    expect(sleeper.awake()).toBe(30)
    const sleeping = sleeper.sleep(false, signal)
    await vi.advanceTimersByTimeAsync(450)
    await sleeping
    expect(sleeper.awake()).toBe(500)
  })

  it('that looks at a moment with others leaves what woke it behind that moment for its next look', async () => {
    const sleeper = new LogSleeper()
    const resting = sleeper.restUntil(15, signal)
    await vi.advanceTimersByTimeAsync(20)
    await resting
    sleeper.wake()
    // Others may have asked at 15, and not have found it.
    expect(sleeper.awake()).toBe(15)
    await sleeper.sleep(false, signal)
    expect(performance.now()).toBe(20)
    expect(sleeper.awake()).toBe(20)
  })

  it('looks because it was woken, and at no moment, once it has slept', async () => {
    const sleeper = new LogSleeper()
    sleeper.wake()
    const resting = sleeper.restUntil(15, signal)
    await vi.advanceTimersByTimeAsync(20)
    await resting
    // Woken while it rested, it looks with the others.
    await sleeper.sleep(false, signal)
    expect(sleeper.awake()).toBe(15)
    const restingAgain = sleeper.restUntil(30, signal)
    await vi.advanceTimersByTimeAsync(15)
    await restingAgain
    const sleeping = sleeper.sleep(false, signal)
    await vi.advanceTimersByTimeAsync(5)
    sleeper.wake()
    await sleeping
    expect(sleeper.awake()).toBe(40)
  })

  it('does not sleep when it was woken since it looked, or is to stop', async () => {
    const sleeper = new LogSleeper()
    sleeper.awake()
    sleeper.wake()
    await sleeper.sleep(false, signal)
    sleeper.awake()
    await sleeper.sleep(false, AbortSignal.abort())
    expect(performance.now()).toBe(0)
  })
})
