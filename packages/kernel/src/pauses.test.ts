import { expect, it } from 'vitest'
import { growingPauseMs } from './pauses.ts'

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
