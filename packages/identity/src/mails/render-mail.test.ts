import { describe, expect, test } from 'vitest'
import type { MailTemplate } from './mails.ts'
import { renderMail } from './render-mail.ts'

const templates: Record<MailTemplate, Record<string, string>> = {
  validateAccount: { url: 'https://x.example/account/validate?token=abc&b=1' },
  alreadyRegistered: {
    signInUrl: 'https://x.example/signin',
    resetUrl: 'https://x.example/account/password?token=abc&b=1',
  },
  resetPassword: { url: 'https://x.example/account/password?token=abc&b=1' },
  passwordChanged: { resetUrl: 'https://x.example/account/password?token=abc&b=1' },
  deleteAccount: { url: 'https://x.example/account/deletion?token=abc&b=1' },
  secondFactorChanged: { method: 'totp' },
}
const cases = Object.entries(templates).flatMap(([template, values]) =>
  ['en', 'fr'].map((language) => ({ template: template as MailTemplate, language, values })),
)
const render = (template: MailTemplate, language: string | undefined, values: Record<string, string>) =>
  renderMail({ to: 'ada@example.com', language, template, values }, { origin: 'https://x.example' })

describe('a mail', () => {
  test.each(cases)('$template in $language says who writes, and has its link in both forms', (one) => {
    const mail = render(one.template, one.language, one.values)
    const url = one.values.url ?? one.values.resetUrl ?? 'https://x.example/signin'
    expect(mail.subject).toContain('x.example')
    expect(mail.text).toContain(`\n${url}\n`)
    expect(mail.html).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
    expect(mail.html).toContain(`lang="${one.language}"`)
    expect(mail.text.startsWith(one.language === 'fr' ? 'Bonjour,' : 'Hello,')).toBe(true)
  })

  test.each(cases)('$template in $language loads nothing from anywhere', ({ template, language, values }) => {
    expect(render(template, language, values).html).not.toMatch(
      /<(img|link|script|iframe|style)|url\(|@import/i,
    )
  })

  test('every language has a text of its own', () => {
    for (const { template, values } of cases)
      expect(render(template, 'en', values).subject).not.toBe(render(template, 'fr', values).subject)
  })

  test.each([
    ['fr-CA', 'Bonjour,'],
    ['de', 'Hello,'],
    [undefined, 'Hello,'],
    ['x'.repeat(1000), 'Hello,'],
  ])('a reader of %s gets what there is', (language, greeting) => {
    expect(render('secondFactorChanged', language, {}).text.startsWith(greeting)).toBe(true)
  })

  test('a value can’t become markup', () => {
    const { html } = render('resetPassword', 'en', { url: 'https://x.example/"><script>alert(1)</script>' })
    expect(html).not.toContain('<script>')
  })

  test('who has no password is led to sign in', () => {
    const mail = render('alreadyRegistered', 'en', { signInUrl: 'https://x.example/signin' })
    expect(mail.text).toContain('Sign in:\nhttps://x.example/signin')
    expect(mail.text).not.toContain('new one')
  })
})
