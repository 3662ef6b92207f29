import { Failure } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { abusiveDates } from '../../test/abusive-dates.ts'
import { requestedDate } from './api-version.ts'

const now = new Date('2026-11-21T23:59:59Z')
const ask = (text: string) => requestedDate(text, '2024-12-31', now)

describe('the date of X-Platform-API-Version', () => {
  test.each(['2024-12-31', '2025-02-28', '2026-02-28', '2026-11-21'])('may be %s', (text) => {
    expect(ask(text)).toBe(text)
  })

  test('may be a leap day, where there is one', () => {
    expect(requestedDate('2028-02-29', '2024-12-31', new Date('2028-03-01T00:00:00Z'))).toBe('2028-02-29')
    expect(() => ask('2025-02-29')).toThrow(Failure)
  })

  test.each(['2024-12-30', '2026-11-22', '0000-01-01', '9999-12-31'])(
    'is a day between the release and today: %s is not',
    (text) => {
      expect(() => ask(text)).toThrow(expect.objectContaining({ name: 'InvalidApiVersion', status: 400 }))
    },
  )

  test('is InvalidApiVersion for each of 200 abuses', () => {
    expect(abusiveDates.length).toBeGreaterThanOrEqual(200)
    for (const text of abusiveDates)
      expect(() => ask(text), JSON.stringify(text)).toThrow(
        expect.objectContaining({ name: 'InvalidApiVersion' }),
      )
  })
})
