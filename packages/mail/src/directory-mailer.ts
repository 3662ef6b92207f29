import { randomBytes } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createTransport } from 'nodemailer'
import { type Mail, MailError, type Mailer, type MailerOptions } from './mailer.ts'
import { toMessage } from './message.ts'

/** Keeps messages as files only their owner can read, named by time, so that the newest is the last. */
export function directoryMailer({ from, log }: MailerOptions, directory: string): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    driver: 'directory',
    async send(mail: Mail) {
      const { message } = await transport.sendMail(toMessage(mail, from))
      const file = resolve(join(directory, fileName()))
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 })
        // Whoever watches the directory never sees half a message.
        await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 })
        await rename(`${file}.part`, file)
      } catch (cause) {
        const sentence = `The mail directory ${directory} can't be written: give this user the right to.`
        throw new MailError(sentence, { cause, permanent: false })
      }
      log.warn({ file }, 'a mail was written to a file, because there is no SMTP_HOST')
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const fileName = (): string =>
  `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}.eml`
