import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Deadline } from './deadline.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

const never = new Promise<never>(() => undefined)

describe('waits with a deadline', () => {
  test('end each at its own time, with one timer for all', async () => {
    const deadline = new Deadline(150)
    const ended: number[] = []
    const wait = (n: number) => deadline.inTime(never).catch(() => ended.push(n))
    void wait(1)
    await vi.advanceTimersByTimeAsync(100)
    void wait(2)
    void wait(3)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(49)
    expect(ended).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toEqual([1])
    await vi.advanceTimersByTimeAsync(99)
    expect(ended).toEqual([1])
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toEqual([1, 2, 3])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('answer what came in time, also that it failed', async () => {
    const deadline = new Deadline(150)
    expect(await deadline.inTime(Promise.resolve(1))).toBe(1)
    await expect(deadline.inTime(Promise.reject(new Error('refused')))).rejects.toThrow('refused')
    const slow = deadline.inTime(new Promise((resolve) => setTimeout(resolve, 140, 'slow')))
    await vi.advanceTimersByTimeAsync(140)
    expect(await slow).toBe('slow')
    await vi.advanceTimersByTimeAsync(200)
    expect(vi.getTimerCount()).toBe(0)
  })
})
