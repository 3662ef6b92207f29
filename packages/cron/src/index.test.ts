import { describe, expect, test } from 'vitest'
import { readCron } from './cron.ts'
import { cronTimes, isTimeZone } from './index.ts'

const timesOf = (text: string, timeZone: string) => {
  const cron = readCron(text)
  if (cron === undefined) throw new Error('The test needs a cron.')
  return cronTimes(cron, timeZone)
}

/** The times within some hours, in UTC without the date, one after another. */
function within(text: string, timeZone: string, from: string, hours: number): string[] {
  const times = timesOf(text, timeZone)
  const end = new Date(from).getTime() + hours * 3_600_000
  const found: string[] = []
  for (let at = times.next(new Date(from)); at !== undefined && at.getTime() <= end; at = times.next(at))
    found.push(at.toISOString().slice(11, 16))
  return found
}

describe('when the clock is put forward', () => {
  test.each([
    // At 02:00 in Paris it is 03:00, which is 01:00 in UTC.
    ['30 2 * * *', 'Europe/Paris', '2026-03-28T20:00Z', ['01:00']],
    ['0,30 2 * * *', 'Europe/Paris', '2026-03-28T20:00Z', ['01:00']],
    ['30 1,2,3 * * *', 'Europe/Paris', '2026-03-28T20:00Z', ['00:30', '01:00', '01:30']],
    ['0 3 * * *', 'Europe/Paris', '2026-03-28T20:00Z', ['01:00']],
    ['30 2 * * *', 'America/New_York', '2026-03-08T01:00Z', ['07:00']],
    // Half an hour only, and midnight itself.
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T10:00Z', ['15:30']],
    ['30 0 * * *', 'America/Santiago', '2026-09-05T22:00Z', ['04:00']],
    ['0 0 * * *', 'Africa/Cairo', '2026-04-23T16:00Z', ['22:00']],
  ])('%s in %s fires once, at the first moment there is', (text, zone, from, times) => {
    expect(within(text, zone, from, 12)).toEqual(times)
  })

  test('every hour follows the clock', () => {
    expect(within('30 * * * *', 'Europe/Paris', '2026-03-28T23:00Z', 4)).toEqual([
      '23:30',
      '00:30',
      '01:30',
      '02:30',
    ])
  })
})

describe('when the clock is put back', () => {
  test.each([
    // At 03:00 in Paris it is 02:00 again, which is 01:00 in UTC.
    ['30 2 * * *', 'Europe/Paris', '2026-10-24T20:00Z', ['00:30']],
    ['0,30 2 * * *', 'Europe/Paris', '2026-10-24T20:00Z', ['00:00', '00:30']],
    ['30 1-3 * * *', 'Europe/Paris', '2026-10-24T20:00Z', ['23:30', '00:30', '02:30']],
    ['30 1 * * *', 'America/New_York', '2026-11-01T01:00Z', ['05:30']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T10:00Z', ['14:45']],
    ['30 23 * * *', 'America/Santiago', '2026-04-04T20:00Z', ['02:30']],
    ['30 23 * * *', 'Africa/Cairo', '2026-10-29T16:00Z', ['20:30']],
  ])('%s in %s fires once, at the first of the two', (text, zone, from, times) => {
    expect(within(text, zone, from, 12)).toEqual(times)
  })

  test('every hour follows the clock', () => {
    expect(within('30 * * * *', 'Europe/Paris', '2026-10-24T23:00Z', 3)).toEqual(['23:30', '00:30', '01:30'])
  })
})

describe('the times of a cron', () => {
  test.each([
    ['0 9 * * mon-fri', 'Europe/Paris', '2026-03-27T07:00Z', '2026-03-27T08:00:00.000Z'],
    ['0 9 * * mon-fri', 'Asia/Kolkata', '2026-03-27T07:00Z', '2026-03-30T03:30:00.000Z'],
    ['0 22-2 * * fri-mon', 'UTC', '2026-03-26T12:00Z', '2026-03-27T00:00:00.000Z'],
    ['5/20 * * * *', 'UTC', '2026-03-26T12:30Z', '2026-03-26T12:45:00.000Z'],
    ['0 0 29 2 *', 'America/New_York', '2026-03-26T12:30Z', '2028-02-29T05:00:00.000Z'],
    ['0 0 13 * fri', 'UTC', '2026-03-26T12:30Z', '2026-03-27T00:00:00.000Z'],
    ['0 0 30 2 *', 'Europe/Paris', '2026-03-26T12:30Z', undefined],
  ])('%s in %s', (text, zone, after, next) => {
    expect(timesOf(text, zone).next(new Date(after))?.toISOString()).toBe(next)
  })

  test.each(['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Pacific/Chatham'])(
    'in %s are the same wherever one looks from, forwards and backwards',
    (zone) => {
      for (const text of ['30 * * * *', '0,30 0-4 * * *', '45 1,2 * * *']) {
        const times = timesOf(text, zone)
        for (const from of [
          '2026-03-28T12:00Z',
          '2026-04-04T00:00Z',
          '2026-10-24T00:00Z',
          '2026-10-31T00:00Z',
        ]) {
          const start = new Date(from).getTime()
          for (let ms = start; ms < start + 2 * 86_400_000; ms += 3_500_000) {
            const next = times.next(new Date(ms))
            const last = times.previous(new Date(ms))
            expect(times.previous(new Date((next?.getTime() ?? 0) + 1))).toEqual(next)
            expect(times.next(new Date((last?.getTime() ?? 0) - 1))).toEqual(last)
            expect(times.next(last ?? new Date(0)) ?? 0).not.toEqual(last)
            expect(times.next(last ?? new Date(0))?.getTime()).toBeGreaterThanOrEqual(ms)
          }
        }
      }
    },
  )
})

test.each([
  ['UTC', true],
  ['Europe/Paris', true],
  ['Mars', false],
  ['', false],
  ['+02:00', false],
])('%s is a time zone: %s', (name, expected) => {
  expect(isTimeZone(name)).toBe(expected)
})
