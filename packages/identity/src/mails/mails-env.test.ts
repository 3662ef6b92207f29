import { readConfig } from '@platform/config'
import { describe, expect, test } from 'vitest'
import { mailsEnv } from './mails-env.ts'

describe('what mail is sent with', () => {
  test.each([
    [{ SMTP_HOST: 'mail.example.com' }, 'smtp://mail.example.com:587'],
    [{ SMTP_HOST: 'mail.example.com', SMTP_SECURE: 'true' }, 'smtps://mail.example.com:465'],
    [{ SMTP_HOST: '::1', SMTP_PORT: '25' }, 'smtp://[::1]:25'],
    [{ SMTP_HOST: 'm', SMTP_USER: 'a@b', SMTP_PASS: 'p:/@%' }, 'smtp://a%40b:p%3A%2F%40%25@m:587'],
    [{}, undefined],
  ])('%j is %s', (env, url) => {
    expect(readConfig(mailsEnv, env).url).toBe(url)
  })

  test.each([{ SMTP_HOST: 'a b' }, { SMTP_HOST: 'x/y' }, { EMAIL_FROM: 'nobody' }, { SMTP_PORT: 'x' }])(
    '%j is refused with the name of its variable',
    (env) => {
      expect(() => readConfig(mailsEnv, env)).toThrow(new RegExp(Object.keys(env)[0] ?? ''))
    },
  )
})
