import { type Mail, MailError } from './mailer.ts'

/** Longest subject; a longer one is a mistake. */
const SUBJECT_MAX = 300
const ADDRESS = /^[^\s@<>"(),:;\\[\]\p{C}]+@[^\s@<>"(),:;\\[\]\p{C}]+$/u

/**
 * One address and nothing else: no list, no name, no second line that would become a header. Throws a permanent
 * MailError.
 */
function requireRecipient(to: string): void {
  if (to.length > 254 || !ADDRESS.test(to))
    throw new MailError('The recipient is no single e-mail address.', { permanent: true })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not get into a header.
const CONTROL = /[\u0000-\u001f\u007f\u2028\u2029]+/g

/** A message as nodemailer takes it. Nothing in it is read as a file or an address to fetch. */
export function toMessage(mail: Mail, from: string) {
  requireRecipient(mail.to)
  return {
    from,
    // As an object it is not parsed, so that nothing in it can become a second recipient.
    to: { name: '', address: mail.to },
    subject: mail.subject.replace(CONTROL, ' ').slice(0, SUBJECT_MAX),
    text: mail.text,
    html: mail.html,
    // Answering machines stay silent (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
