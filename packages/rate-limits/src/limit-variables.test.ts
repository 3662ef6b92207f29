import { readConfig } from '@platform/config'
import { rateLimits } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { limitSettings, limitVariables } from './limit-variables.ts'

const schema = z.object(limitVariables(['emit', 'signUp'])).transform(limitSettings)
const read = (env: Record<string, string>) => readConfig(schema, env)

describe('the variables of limits', () => {
  test('have the default of their limit, and change it', () => {
    expect(Object.fromEntries(read({}).points)).toEqual({
      RATE_LIMIT_HTTP_EMITS: 1000,
      RATE_LIMIT_HTTP_EMITS_BURST: 5000,
      RATE_LIMIT_SIGNUP: 1,
    })
    expect(read({ RATE_LIMIT_SIGNUP: '7' }).points.get('RATE_LIMIT_SIGNUP')).toBe(7)
    expect(read({}).disabled).toBe(false)
    expect(read({ RATE_LIMIT_DISABLED: 'true' }).disabled).toBe(true)
  })

  test.each(['-1', 'many', '1.5'])('are whole numbers: %s is refused by name', (value) => {
    expect(() => read({ RATE_LIMIT_SIGNUP: value })).toThrow('RATE_LIMIT_SIGNUP')
  })

  test('are no limit twice', () => {
    const limits = Object.values(rateLimits)
    expect(new Set(limits.map(({ variable }) => variable)).size).toBe(limits.length)
    expect(new Set(limits.map(({ name }) => name)).size).toBe(limits.length)
  })
})
