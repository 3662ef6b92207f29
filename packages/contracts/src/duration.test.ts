import { expect, test } from 'vitest'
import { Duration, durationMs } from './duration.ts'

test.each([
  [2, 2000],
  [0, 0],
  [1.5, 1500],
  ['250ms', 250],
  ['1.5s', 1500],
  ['2m', 120_000],
  ['3h', 10_800_000],
  ['30d', 2_592_000_000],
  ['20', 20_000],
])('%s is %d ms', (value, expected) => {
  expect(durationMs(value)).toBe(expected)
})

test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '', '5 s', '1w', 'ms', '-1s', '12345678s', true, null])(
  '%s is no duration',
  (value) => {
    expect(durationMs(value)).toBeUndefined()
    expect(Duration.safeParse(value).success).toBe(false)
  },
)
