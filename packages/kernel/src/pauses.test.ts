import { expect, it, vi } from 'vitest'
import { growingPauseMs, retryAfterMsOf, triedAgain } from './pauses.ts'

it('work is done again after errors that may pass, so many times, and not after others', async () => {
  const options = {
    tries: 3,
    isPassing: (error: unknown) => error instanceof RangeError,
    pauseMs: () => 0,
  }
  const passing = vi.fn(() => Promise.reject(new RangeError('busy')))
  await expect(triedAgain(passing, options)).rejects.toThrow('busy')
  expect(passing).toHaveBeenCalledTimes(3)
  const wrong = vi.fn(() => Promise.reject(new TypeError('wrong')))
  await expect(triedAgain(wrong, options)).rejects.toThrow('wrong')
  expect(wrong).toHaveBeenCalledOnce()
  const second = vi.fn(() => Promise.resolve('done')).mockRejectedValueOnce(new RangeError('busy'))
  expect(await triedAgain(second, options)).toBe('done')
})

it('pauses double with each failure, up to a limit, and are drawn from their upper half', () => {
  const limits = { firstMs: 100, longestMs: 1000 }
  for (const [failures, longestMs] of [
    [0, 100],
    [1, 200],
    [3, 800],
    [4, 1000],
    [5000, 1000],
  ] as const) {
    const pauseMs = growingPauseMs(failures, limits)
    expect(pauseMs).toBeGreaterThanOrEqual(longestMs / 2)
    expect(pauseMs).toBeLessThanOrEqual(longestMs)
  }
})

it.each([
  ['120', 120_000],
  ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  [null, undefined],
])('Retry-After: %s is read', (header, expected) => {
  expect(retryAfterMsOf(header, new Date('2026-01-01T00:00:00Z'))).toBe(expected)
})
