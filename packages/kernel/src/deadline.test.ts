import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Deadline } from './deadline.ts'

describe('a deadline', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('aborts at its time, for the reason of a timeout', () => {
    const { signal } = new Deadline(1000)
    vi.advanceTimersByTime(999)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it('aborts with the signal it is given, for its reason, whether it has aborted already or does later', () => {
    const reason = new Error('The client is gone.')
    const given = new AbortController()
    const before = new Deadline(1000, given.signal)
    given.abort(reason)
    const after = new Deadline(1000, given.signal)
    expect([before.signal.reason, after.signal.reason]).toEqual([reason, reason])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('can be moved: only the last time counts, and one that was aborted stays so', () => {
    const deadline = new Deadline(1000)
    deadline.moveTo(3000)
    vi.advanceTimersByTime(2999)
    expect(deadline.signal.aborted).toBe(false)
    deadline.abort()
    deadline.moveTo(1000)
    expect(deadline.signal.reason).toMatchObject({ name: 'AbortError' })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('of months does not abort at once', () => {
    const { signal } = new Deadline(90 * 24 * 60 * 60 * 1000)
    vi.advanceTimersByTime(1000)
    expect(signal.aborted).toBe(false)
  })

  it('leaves nothing behind when the work is over, and never aborts then', () => {
    const given = new AbortController()
    const removed = vi.spyOn(given.signal, 'removeEventListener')
    const { signal } = (() => {
      using deadline = new Deadline(1000, given.signal)
      return deadline
    })()
    expect(vi.getTimerCount()).toBe(0)
    expect(removed).toHaveBeenCalledOnce()
    given.abort()
    expect(signal.aborted).toBe(false)
  })
})
