import { readConfig } from '@platform/config'
import { DAY_MS } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { retentionSettings, retentionVariables } from './retention-settings.ts'

const schema = z.object(retentionVariables).transform(retentionSettings)
const read = (env: Record<string, string>) => readConfig(schema, env)

describe('the settings of retention', () => {
  test('are the documented ones unless given', () => {
    expect(read({})).toEqual({
      retentionDays: 1080,
      workspaceMaxEvents: 50,
      workspaceInactivityDays: 30,
      executedExpirationMs: 14 * DAY_MS,
      scheduledDeletionDays: 30,
    })
    expect(read({ EVENTS_EXECUTED_EXPIRATION: '48h' }).executedExpirationMs).toBe(2 * DAY_MS)
  })

  const names = Object.keys(retentionVariables)
  const destructive = [
    '0',
    '-1',
    '0.5',
    '-0',
    '1e-3',
    'NaN',
    'none',
    '99999999999999999999',
    '0d',
    '23h',
    '-14d',
  ]
  test.each(names.flatMap((name) => destructive.map((value) => [name, value] as const)))(
    '%s=%s is refused by name with a sentence, before anything starts',
    (name, value) => {
      // A large number of events only protects more workspaces from nothing: it may be any.
      if (name === 'EVENTS_WORKSPACE_MAX_EVENTS' && Number.isSafeInteger(Number(value)) && Number(value) > 0)
        return
      expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name} must be .*\\.$`, 'm'))
    },
  )
})
