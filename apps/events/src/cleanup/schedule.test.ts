import { readConfig } from '@platform/config'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { isDue, scheduleSettings, scheduleVariables } from './schedule.ts'

const read = (env: Record<string, string>) =>
  readConfig(z.object(scheduleVariables).transform(scheduleSettings), env)
const { indices, executions } = read({})
const at = (text: string) => new Date(text)

describe('the schedules', () => {
  test('are Sunday 00:00 and every night 03:30, in UTC', () => {
    const saturday = at('2026-11-21T23:59:59Z')
    expect(isDue(indices, at('2026-11-20T00:00:00Z'), saturday)).toBe(false)
    expect(isDue(indices, saturday, at('2026-11-22T00:00:30Z'))).toBe(true)
    expect(isDue(executions, at('2026-11-21T04:00:00Z'), at('2026-11-22T03:29:59Z'))).toBe(false)
    expect(isDue(executions, at('2026-11-21T04:00:00Z'), at('2026-11-22T03:30:01Z'))).toBe(true)
  })

  test('are followed once, and a run that was missed is done within a day and not later', () => {
    const followed = at('2026-11-22T00:00:30Z')
    expect(isDue(indices, followed, at('2026-11-22T00:01:30Z'))).toBe(false)
    expect(isDue(indices, followed, at('2026-11-28T23:00:00Z'))).toBe(false)
    expect(isDue(indices, followed, at('2026-11-29T23:00:00Z'))).toBe(true)
    expect(isDue(indices, followed, at('2026-11-30T00:00:01Z'))).toBe(false)
  })

  test('follow the clocks of their time zone, also when these are changed', () => {
    const paris = read({ CLEANUP_TIME_ZONE: 'Europe/Paris' }).executions
    expect(isDue(paris, at('2026-10-24T12:00:00Z'), at('2026-10-25T02:29:00Z'))).toBe(false)
    expect(isDue(paris, at('2026-10-24T12:00:00Z'), at('2026-10-25T02:31:00Z'))).toBe(true)
    expect(isDue(paris, at('2026-07-01T12:00:00Z'), at('2026-07-02T01:31:00Z'))).toBe(true)
  })

  test.each([
    ['CLEANUP_INDICES_SCHEDULE', 'every day'],
    ['CLEANUP_INDICES_SCHEDULE', '* * * * * *'],
    ['CLEANUP_EXECUTIONS_SCHEDULE', '61 3 * * *'],
    ['CLEANUP_TIME_ZONE', 'Mars/Olympus'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name)
  })
})
