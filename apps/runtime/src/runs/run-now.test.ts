import { describe, expect, test } from 'vitest'
import { timeLimit } from './run-now.ts'

describe('the time a run may take', () => {
  test.each([
    ['what the runtime allows', 300_000, 600_000, 600_000, 300_000],
    ['five seconds less than the gateway waits', 300_000, 600_000, 60_000, 55_000],
    ['five seconds less than the caller waits', 300_000, 20_000, 60_000, 15_000],
    ['half of it where five seconds would be most of it', 300_000, 6000, 60_000, 3000],
    ['a moment when nobody waits any more', 300_000, -1, 60_000, 100],
  ])('is %s', (_, maxMs, untilDeadline, gatewayTimeoutMs, expected) => {
    expect(timeLimit(1_000_000 + untilDeadline, { maxMs, gatewayTimeoutMs }, 1_000_000)).toBe(expected)
  })
})
