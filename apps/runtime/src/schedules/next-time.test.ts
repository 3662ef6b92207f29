import { describe, expect, test } from 'vitest'
import { ScheduleTimes } from './next-time.ts'

const at = (text: string) => new Date(`2026-03-26T${text}Z`)
const times = new ScheduleTimes()
const quarterly = { cron: '*/15 * * * *', timezone: 'UTC' }

describe('the times of a schedule', () => {
  test('are those that follow an instant', () => {
    expect(times.following(quarterly, at('09:50:00'), 3)).toEqual([
      at('10:00:00'),
      at('10:15:00'),
      at('10:30:00'),
    ])
  })

  test('are the last ones of a span, its ends included', () => {
    expect(times.latest(quarterly, at('09:00:00'), at('10:00:00'), 100)).toHaveLength(5)
    expect(times.latest(quarterly, at('09:00:00'), at('10:00:00'), 2)).toEqual([
      at('09:45:00'),
      at('10:00:00'),
    ])
    expect(times.latest(quarterly, at('09:01:00'), at('09:14:59'), 2)).toEqual([])
  })

  test.each([
    ['0 0 30 2 *', 'UTC'],
    ['@daily', 'UTC'],
    ['0 9 * * *', 'Mars'],
  ])('%s in %s are none', (cron, timezone) => {
    expect(times.following({ cron, timezone }, at('00:00:00'), 1)).toEqual([])
  })
})
