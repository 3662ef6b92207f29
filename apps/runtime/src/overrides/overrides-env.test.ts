import { ConfigError, type Env, readConfig } from '@platform/config'
import { describe, expect, test } from 'vitest'
import { runtimeEnv } from '../config.ts'

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`
const base = {
  DATABASE_URL: 'postgres://user@127.0.0.1:5432/x',
  INTERNAL_API_KEY: 'kT9vQ2mX7bR4wL8z',
  SECRETS_MASTER_KEYS: KEYS,
}
const read = (env: Env) => readConfig(runtimeEnv, { ...base, ...env }).modules.overrides
const problemsOf = (env: Env): string[] => {
  try {
    read(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('a variable of a workspace', () => {
  test('names a slug and a key, which may have underscores, in one way only', () => {
    const overrides = read({
      WORKSPACE_SECRET_shop_API_KEY: 'one',
      'WORKSPACE_SECRET_my-shop_API_KEY': 'two',
      WORKSPACE_SECRET_your__shop_key: 'three',
      WORKSPACE_SECRET_a___b_c: 'four',
      WORKSPACE_SECRET_shop_EMPTY: '',
    })
    const found = (slug: string, name: string) => overrides.findSecret({ slug }, name)
    expect(found('shop', 'API_KEY')).toBe('one')
    expect(found('my-shop', 'API_KEY')).toBe('two')
    expect(found('your-shop', 'key')).toBe('three')
    expect(found('a-', 'b_c')).toBe('four')
    expect(found('shop', 'EMPTY')).toBeUndefined()
    expect(found('my', 'shop_API_KEY')).toBeUndefined()
  })

  test('of the config is JSON where it is that and its text is kept, else a text', () => {
    const given = {
      list: '[1, "a"]',
      nested_value: '{"a":{"b":true}}',
      on: 'true',
      none: 'null',
      many: '1200',
      zip: '01234',
      long: '12345678901234567890',
      quoted: '"a"',
      broken: '{"a"',
    }
    const env = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [`WORKSPACE_CONFIG_shop_${key}`, value]),
    )
    expect(read(env).configOf({ slug: 'shop' }, { list: [], kept: 1 })).toEqual({
      kept: 1,
      list: [1, 'a'],
      nested_value: { a: { b: true } },
      on: true,
      none: null,
      many: 1200,
      zip: '01234',
      long: '12345678901234567890',
      quoted: '"a"',
      broken: '{"a"',
    })
    const stored = { list: [] }
    expect(read(env).configOf({ slug: 'other' }, stored)).toBe(stored)
  })

  test.each([
    'WORKSPACE_SECRET_KEY',
    'WORKSPACE_SECRET_',
    'WORKSPACE_SECRET_Shop_KEY',
    'WORKSPACE_SECRET_my.shop_KEY',
    'WORKSPACE_SECRET_shop_',
    'WORKSPACE_SECRET__KEY',
    'WORKSPACE_SECRET_a____KEY',
    `WORKSPACE_SECRET_${'a'.repeat(61)}_KEY`,
    `WORKSPACE_SECRET_shop_${'a'.repeat(201)}`,
    'WORKSPACE_SECRET_shop_a\tb',
  ])('%s refuses a start, and its value is not told', (name) => {
    const [problem, ...others] = problemsOf({ [name]: 'canary' })
    expect(others).toEqual([])
    expect(problem).toMatch(
      /^WORKSPACE_SECRET_.* must be WORKSPACE_SECRET_<slug>_<KEY>: the slug of a workspace/s,
    )
    expect(problem).not.toContain('canary')
  })

  test('refuses a start where another names the same, and one of the config like one of a secret', () => {
    expect(
      problemsOf({ 'WORKSPACE_SECRET_my-shop_K': 'canary', WORKSPACE_SECRET_my__shop_K: 'canary' }),
    ).toEqual([
      'WORKSPACE_SECRET_my__shop_K names the same as WORKSPACE_SECRET_my-shop_K: keep one of the two.',
    ])
    expect(problemsOf({ WORKSPACE_CONFIG_KEY: '1' })).toEqual([
      expect.stringMatching(/^WORKSPACE_CONFIG_KEY must be WORKSPACE_CONFIG_<slug>_<KEY>/),
    ])
    expect(problemsOf({ WORKSPACE_CONFIG_shop_K: '1', WORKSPACE_SECRET_shop_K: '1' })).toEqual([])
  })

  test('that holds a secret needs a master key, has a length, and a meaning where it is the platform’s', () => {
    expect(problemsOf({ SECRETS_MASTER_KEYS: '', WORKSPACE_SECRET_shop_K: 'canary' })).toEqual([
      'WORKSPACE_SECRET_shop_K needs SECRETS_MASTER_KEYS: give it to the runtime.',
    ])
    expect(problemsOf({ WORKSPACE_SECRET_shop_K: 'a'.repeat(16_385) })).toEqual([
      'WORKSPACE_SECRET_shop_K must have at most 16384 characters.',
    ])
    expect(
      problemsOf({
        WORKSPACE_SECRET_shop_prismeai_ratelimit_emits: 'many',
        WORKSPACE_SECRET_shop_prismeai_other: '1',
      }),
    ).toEqual([
      expect.stringContaining('must be a number from 0.001 to 1000000'),
      expect.stringContaining('is no name of the platform'),
    ])
  })
})
