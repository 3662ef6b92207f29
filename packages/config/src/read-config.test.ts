import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  ConfigError,
  count,
  days,
  type Env,
  flag,
  httpUrl,
  list,
  milliseconds,
  optionalPort,
  port,
  readConfig,
  seconds,
  secret,
} from './index.ts'
import { proxySettings, proxyVariables } from './proxies.ts'

const problemsOf = (schema: z.ZodType, env: Env): string[] => {
  try {
    readConfig(schema, env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}
const problemOf = (field: z.ZodType, value: string | undefined) =>
  problemsOf(z.object({ X: field }), { X: value })

describe('reading a configuration', () => {
  test('tells every problem at once, each as a sentence with its variable', () => {
    const schema = z.object({
      PORT: port(1),
      TIMEOUT: seconds(1),
      AGE: days(1),
      PAUSE: milliseconds(1),
      LIMIT: count(1),
      LEVEL: z.enum(['info', 'debug', 'trace']),
      SWITCH: flag(false),
      ADDRESS: httpUrl('http://localhost'),
      KEY: secret,
      NAME: z.string(),
      LABEL: z.string().min(3).max(5),
      LONG: z.string().max(3),
      RATIO: z.coerce.number().max(1),
      SHAPE: z.string().regex(/^a$/),
    })
    const env = {
      PORT: '80a',
      TIMEOUT: 'soon',
      AGE: '1.5',
      PAUSE: '-1',
      LIMIT: 'Infinity',
      LEVEL: 'loud',
      SWITCH: 'maybe',
      ADDRESS: 'ftp://x',
      KEY: 'short',
      LABEL: 'a',
      LONG: 'long',
      RATIO: '2',
      SHAPE: 'b',
    }
    expect(problemsOf(schema, env)).toEqual([
      'PORT must be a port number from 0 to 65535.',
      'TIMEOUT must be a whole number of seconds.',
      'AGE must be a whole number of days.',
      'PAUSE must be a whole number of milliseconds.',
      'LIMIT must be a whole number of pieces.',
      'LEVEL must be info, debug or trace.',
      'SWITCH must be true or false.',
      'ADDRESS must be an http or https address.',
      'KEY must have at least 16 characters.',
      'NAME is required.',
      'LABEL must be at least 3 characters long.',
      'LONG must be at most 3 characters long.',
      'RATIO must be at most 1.',
      'SHAPE is not valid.',
    ])
  })

  test('never repeats the value, which may be a secret', () => {
    const value = 'hunter2-hunter2'
    for (const field of [secret, port(1), flag(true), httpUrl('http://x'), z.enum(['a']), z.coerce.number()])
      expect(problemOf(field, value).join()).not.toContain('hunter2')
  })

  test('takes an empty variable for an unset one', () => {
    expect(readConfig(z.object({ PORT: port(3001) }), { PORT: '' })).toEqual({ PORT: 3001 })
    expect(problemOf(secret, '')).toEqual(['X is required.'])
  })

  test('ignores variables it does not know', () => {
    expect(readConfig(z.object({ PORT: port(1) }), { HOME: '/root' })).toEqual({ PORT: 1 })
  })

  test('answers something nobody can change, groups and lists too', () => {
    const schema = z.object({ ORIGINS: list('a,b') }).transform((env) => ({ cors: { origins: env.ORIGINS } }))
    const config = readConfig(schema, {})
    expect(() => config.cors.origins.push('c')).toThrow(TypeError)
    expect(() => Object.assign(config.cors, { origins: [] })).toThrow(TypeError)
  })
})

describe('the fields', () => {
  test('a port is a number up to 65535, and may be left out where it is optional', () => {
    const schema = z.object({ PORT: port(3001), OTHER_PORT: optionalPort() })
    expect(readConfig(schema, {})).toEqual({ PORT: 3001 })
    expect(readConfig(schema, { PORT: '0', OTHER_PORT: '65535' })).toEqual({ PORT: 0, OTHER_PORT: 65535 })
    for (const bad of ['65536', '-1', '1.5', 'x']) expect(problemOf(port(1), bad)).toHaveLength(1)
  })

  test('a flag understands what people write', () => {
    for (const [text, value] of Object.entries({
      true: true,
      YES: true,
      1: true,
      on: true,
      off: false,
      0: false,
    }))
      expect(readConfig(z.object({ X: flag(false) }), { X: text })).toEqual({ X: value })
  })

  test('a list drops blanks, an address its trailing slashes', () => {
    const schema = z.object({ L: list(''), U: httpUrl('http://localhost:3001/v2') })
    expect(readConfig(schema, { L: ' a, ,b,', U: 'https://x.example/v2//' })).toEqual({
      L: ['a', 'b'],
      U: 'https://x.example/v2',
    })
    expect(readConfig(schema, {})).toEqual({ L: [], U: 'http://localhost:3001/v2' })
  })

  test.each([
    'changemechangeme',
    'change-me-change-me',
    'secret-secret-secret',
    'my-secret-password',
    'your-internal-api-key',
    'default-development-secret',
    'password12345678',
    'aaaaaaaaaaaaaaaaaaaa',
    '1111222211112222',
    'local-client-id-test',
  ])('the secret %s is refused', (value) => {
    expect(problemOf(secret, value)).toHaveLength(1)
  })

  test.each([
    'q4lmVtv3zC2nY0hXbE8sJw',
    'internal-key-of-the-tests-0123456789',
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'correct horse battery staple',
  ])('the secret %s is taken', (value) => {
    expect(problemOf(secret, value)).toEqual([])
  })
})

test('proxies may be named in lower case, as many systems do; capitals count first', () => {
  const schema = z.object(proxyVariables).transform(proxySettings)
  const env = { http_proxy: 'http://small:1', https_proxy: 'http://small:2', HTTPS_PROXY: 'http://great:2' }
  expect(readConfig(schema, { ...env, no_proxy: 'a.example, 10.0.0.0/8' })).toEqual({
    http: 'http://small:1',
    https: 'http://great:2',
    except: ['a.example', '10.0.0.0/8'],
    resolvesNames: false,
  })
  expect(() => readConfig(schema, { HTTP_PROXY: 'socks5://user:word@proxy:1' })).toThrow(
    /^HTTP_PROXY must be an address such as http:\/\/proxy\.internal:3128\.$/,
  )
})
