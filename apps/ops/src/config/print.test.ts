import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { port, secret } from '@platform/config'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runOps } from '../testing.ts'
import { settingsOf } from './settings.ts'

describe('ops config print', () => {
  test('shows every variable with its value and origin, secrets as their length', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'ops-'))
    writeFileSync(join(directory, 'secrets.env'), 'INTERNAL_API_KEY=hunter2-hunter2\n')
    const { code, out, err } = await runOps(['config', 'print'], {
      DATA_DIRECTORY: directory,
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'postgres://u:hunter2@db/x',
      FILES_URL: 's3://key:hunter2@files.example/uploads',
      SECRETS_MASTER_KEYS: 'k1:hunter2',
    })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).not.toContain('hunter2')
    expect(out).toMatch(/^VARIABLE +ORIGIN +VALUE$/m)
    expect(out).toMatch(/^INTERNAL_API_KEY +secrets file +\[15 characters\]$/m)
    expect(out).toMatch(/^SECRETS_MASTER_KEYS +environment +\[10 characters\]$/m)
    expect(out).toMatch(/^DATABASE_URL +environment +postgres:\/\/\[credentials\]@db\/x$/m)
    expect(out).toMatch(/^FILES_URL +environment +s3:\/\/\[credentials\]@files\.example\/uploads$/m)
    expect(out).toMatch(/^LOG_LEVEL +environment +debug$/m)
    expect(out).toMatch(/^ACCESS_TOKENS_MAX_AGE +default +2592000$/m)
    expect(out).toMatch(
      /^PORT +default +3001 \(api-gateway\), 3002 \(workspaces\), 3003 \(runtime\), 3004 \(events\)$/m,
    )
    expect(out).toMatch(/^SESSION_COOKIES_SIGN_SECRET +required$/m)
  })
})

describe('settings', () => {
  const schemas = {
    a: z.object({ PORT: port(1), KEY: secret, LABEL: z.string().optional() }),
    b: z.object({ PORT: port(1), TEXT: z.string().default('x') }).transform((env) => env.PORT),
  }

  test('come from the first source that has them', () => {
    const sources = { environment: { TEXT: '', PORT: '5' }, file: { TEXT: 'y', PORT: '6' } }
    expect(settingsOf(schemas, sources)).toEqual([
      { name: 'KEY', origin: 'required', value: '' },
      { name: 'LABEL', origin: 'unset', value: '' },
      { name: 'PORT', origin: 'environment', value: '5' },
      { name: 'TEXT', origin: 'file', value: 'y' },
    ])
  })

  test('have one default where all readers agree', () => {
    expect(settingsOf(schemas, {}).find(({ name }) => name === 'PORT')).toEqual({
      name: 'PORT',
      origin: 'default',
      value: '1',
    })
  })

  test.each([
    'INTERNAL_API_KEY',
    'SECRETS_MASTER_KEYS',
    'SESSION_COOKIES_SIGN_SECRET',
    'ADMIN_PASSWORD',
    'SMTP_PASS',
    'OIDC_CLIENT_REGISTRATION_TOKEN',
    'SOME_SECRETS',
  ])('%s is never shown', (name) => {
    expect(
      settingsOf({ a: z.object({ [name]: z.string() }) }, { environment: { [name]: 'hunter2' } }),
    ).toEqual([{ name, origin: 'environment', value: '[7 characters]' }])
  })
})
