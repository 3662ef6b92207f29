import { createTransport } from 'nodemailer'
import { type Mail, MailError, type Mailer, type MailerOptions } from './mailer.ts'
import { toMessage } from './message.ts'

const TIMEOUT_MS = 10_000

/** Sends through an SMTP server. */
export function smtpMailer(options: MailerOptions, address: string): Mailer {
  const transport = createTransport(transportOptions(options, address))
  return {
    driver: 'smtp',
    async send(mail: Mail) {
      const message = toMessage(mail, options.from)
      try {
        await transport.sendMail(message)
      } catch (error) {
        throw refused(error)
      }
    },
    async [Symbol.asyncDispose]() {
      transport.close()
    },
  }
}

function transportOptions({ timeoutMs = TIMEOUT_MS, ca }: MailerOptions, address: string) {
  const { protocol, hostname, port, username, password } = new URL(address)
  const secure = protocol === 'smtps:'
  const user = decodeURIComponent(username)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // A password is never sent in the clear, except to this machine itself.
    requireTLS: !secure && user !== '' && !isLoopback(hostname),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    tls: { minVersion: 'TLSv1.2' as const, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** 5xx answers about the recipient or the text stay the same tomorrow; a refused password or connection may not. */
function refused(error: unknown): MailError {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  const permanent =
    (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500
  const answer = responseCode === undefined ? (code ?? 'no answer') : `answer ${responseCode}`
  // The response itself often names the recipient; it is in the cause only.
  return new MailError(`The mail server did not take the message (${answer}).`, { cause: error, permanent })
}
