import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  ConfigError,
  type Env,
  family,
  inSecret,
  port,
  readConfig,
  resolveSecrets,
  secret,
  storeVariables,
} from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const file = (content: string): string => {
  files += 1
  const path = join(folder, String(files))
  writeFileSync(path, content)
  return path
}

const schemas = [
  z.object({ ...storeVariables, KEY: secret.describe('A key.'), PORT: port(1) }),
  z.object({ TOKEN: inSecret(z.string().optional()).describe('A token.') }).transform((env) => env.TOKEN),
]
const problemsOf = (env: Env): string[] => {
  try {
    resolveSecrets(schemas, env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('a secret in a file', () => {
  test('may be one of a family, whose names begin alike', () => {
    const families = [
      z.object({ 'SHOP_<KEY>': inSecret(family('SHOP_')), 'OPEN_<KEY>': family('OPEN_') }),
    ] as const
    const env = { SHOP_A_FILE: file('from a file\n'), SHOP_B: 'given', OPEN_C_FILE: 'a text', SHOP_D: '' }
    const resolved = resolveSecrets(families, env)
    expect(resolved.fromFiles).toEqual({ SHOP_A: 'from a file' })
    expect(readConfig(families[0], resolved.env)).toEqual({
      'SHOP_<KEY>': { SHOP_A: 'from a file', SHOP_B: 'given' },
      'OPEN_<KEY>': { OPEN_C_FILE: 'a text' },
    })
    expect(() => resolveSecrets(families, { SHOP_A_FILE: 'x', SHOP_A: 'canary' })).toThrow(
      'SHOP_A and SHOP_A_FILE are both given: keep one of the two.',
    )
  })

  test('is the content of the file without its last line feed, and told to come from there', () => {
    const env = { KEY_FILE: file('two\nlines\n'), TOKEN_FILE: file('token\r\n'), PORT: '2', HOME: '/root' }
    expect(resolveSecrets(schemas, env)).toEqual({
      env: { KEY: 'two\nlines', TOKEN: 'token', PORT: '2', HOME: '/root' },
      fromFiles: { KEY: 'two\nlines', TOKEN: 'token' },
    })
  })

  test('is no option for a variable that holds none', () => {
    expect(resolveSecrets(schemas, { PORT_FILE: file('5') }).env).toEqual({ PORT_FILE: expect.any(String) })
  })

  test('given a second time in the variable itself is refused, an empty variable is not', () => {
    const path = file('from-the-file')
    expect(problemsOf({ KEY: 'hunter2', KEY_FILE: path })).toEqual([
      'KEY and KEY_FILE are both given: keep one of the two.',
    ])
    expect(resolveSecrets(schemas, { KEY: '', KEY_FILE: path }).env).toEqual({ KEY: 'from-the-file' })
    expect(resolveSecrets(schemas, { KEY: 'here', KEY_FILE: '' }).env).toMatchObject({ KEY: 'here' })
  })

  test('that can’t be read, or is empty, is a sentence that names both variables; all are told at once', () => {
    const empty = file('\n')
    expect(problemsOf({ KEY_FILE: `${folder}/none`, TOKEN_FILE: folder, DATABASE_URL_FILE: empty })).toEqual([
      `DATABASE_URL_FILE names ${empty}, which is empty: write the value of DATABASE_URL there.`,
      `KEY_FILE names ${folder}/none, which can't be read (ENOENT): put the file there, or give KEY itself.`,
      `TOKEN_FILE names ${folder}, which can't be read (EISDIR): name a file with text, or give TOKEN itself.`,
    ])
  })
})

describe('a password beside its URL', () => {
  test.each([
    ['a/b@c d%:#?é', 'a%2Fb%40c%20d%25%3A%23%3F%C3%A9'],
    ['plain', 'plain'],
  ])('may have any character: %s', (password, encoded) => {
    const env = {
      DATABASE_URL: 'postgres://platform@postgres:5432/platform?sslmode=require',
      DATABASE_PASSWORD_FILE: file(password),
      CACHE_URL: 'redis://valkey:6379/1',
      CACHE_PASSWORD: password,
      BROKER_URL: 'nats://platform@one:4222,two:4222?namespace=a',
      BROKER_PASSWORD: password,
    }
    expect(resolveSecrets(schemas, env).env).toEqual({
      DATABASE_URL: `postgres://platform:${encoded}@postgres:5432/platform?sslmode=require`,
      CACHE_URL: `redis://:${encoded}@valkey:6379/1`,
      BROKER_URL: `nats://platform:${encoded}@one:4222,two:4222?namespace=a`,
    })
  })

  test.each([
    [
      { DATABASE_URL: 'postgres://u:hunter2@h/d' },
      'DATABASE_URL has a password, and DATABASE_PASSWORD gives another',
    ],
    [{ DATABASE_URL: 'embedded:./data' }, 'DATABASE_PASSWORD is given, but DATABASE_URL names no server'],
    [{}, 'DATABASE_PASSWORD is given, but DATABASE_URL names no server'],
    [{ DATABASE_URL: 'postgres://h:5432/d' }, 'DATABASE_URL names no user for DATABASE_PASSWORD'],
  ])('is refused where it belongs to nothing, or stands there twice: %o', (env, problem) => {
    const [told = ''] = problemsOf({ ...env, DATABASE_PASSWORD: 'hunter2' })
    expect(told).toContain(problem)
    expect(told).not.toContain('hunter2')
  })

  test('that makes a URL unreadable is told with the variable it may stand in', () => {
    const read = () =>
      readConfig(z.object(storeVariables), {
        DATABASE_URL: 'postgres://u:hunter/2@h/d',
        CACHE_URL: 'redis://:a/b@h',
      })
    expect(read).toThrow(
      /^DATABASE_URL can't be read: .+ DATABASE_PASSWORD\.\nCACHE_URL can't be read: .+ CACHE_PASSWORD\.$/,
    )
    expect(read).not.toThrow(/hunter/)
  })
})
