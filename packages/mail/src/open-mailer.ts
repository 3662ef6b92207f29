import { directoryMailer } from './directory-mailer.ts'
import type { Mailer, MailerOptions } from './mailer.ts'
import { smtpMailer } from './smtp-mailer.ts'

/**
 * Opens what sends mail; nothing is connected yet. Throws an Error with a sentence when there is neither an address
 * nor a directory, or `from` is no address.
 */
export function openMailer(options: MailerOptions): Mailer {
  requireSender(options.from)
  if (options.url !== undefined) return smtpMailer(options, options.url)
  if (options.directory !== undefined) return directoryMailer(options, options.directory)
  throw new Error('Mail needs an SMTP server or a directory: set SMTP_HOST.')
}

function requireSender(from: string): void {
  if (/^[^\r\n]{0,200}$/.test(from) && /[^\s<>@]+@[^\s<>@]+/.test(from)) return
  throw new Error(
    'EMAIL_FROM must be an e-mail address, or a name with one: Platform <no-reply@example.com>.',
  )
}
