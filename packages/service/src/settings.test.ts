import { family, inSecret, port, secret } from '@platform/config'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { settingsOf } from './settings.ts'

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

  test('of a family are those that are given, of its secrets the length alone', () => {
    const families = z.object({
      'CONFIG_<KEY>': family('CONFIG_'),
      'WORKSPACE_SECRET_<slug>_<KEY>': inSecret(family('WORKSPACE_SECRET_')),
    })
    const sources = {
      'secret file': { WORKSPACE_SECRET_a_PIN: 'hunter2' },
      environment: { CONFIG_X: 'x', CONFIG_EMPTY: '', WORKSPACE_SECRET_a_PIN: 'hunter2', OTHER: 'x' },
    }
    expect(settingsOf({ a: families }, sources)).toEqual([
      { name: 'CONFIG_X', origin: 'environment', value: 'x' },
      { name: 'WORKSPACE_SECRET_a_PIN', origin: 'secret file', value: '[7 characters]' },
    ])
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
