export { type Mail, MailError, type Mailer, type MailerOptions } from './mailer.ts'
export { openMailer } from './open-mailer.ts'
