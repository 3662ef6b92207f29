import { flag, inSecret, optionalPort } from '@platform/config'
import { z } from 'zod'
import { variables } from '../variables.ts'

/** What mail is sent with. */
const schema = z.object({
  SMTP_HOST: variables.SMTP_HOST,
  SMTP_PORT: optionalPort().describe('Port of the mail server: 587, or 465 with SMTP_SECURE.'),
  SMTP_USER: z.string().max(300).optional().describe('Name the platform signs in to the mail server with.'),
  SMTP_PASS: inSecret(z.string().max(1000).optional().describe('Its password.')),
  SMTP_SECURE: flag(false).describe('TLS from the first byte; else STARTTLS wherever the server offers it.'),
  EMAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s<>@]+@[^\s<>@]+>?$/, 'must be an e-mail address, or a name with one')
    .max(300)
    .optional()
    .describe('Who mails come from; no-reply@ the host of API_URL without it.'),
  MAIL_DIRECTORY: z
    .string()
    .optional()
    .describe('Where mails become files in development when there is no SMTP_HOST.'),
})

/** Secrets are encoded, so that any character may stand in them. */
function urlOf(env: z.output<typeof schema>): string | undefined {
  if (env.SMTP_HOST === undefined) return undefined
  const host = env.SMTP_HOST.includes(':') ? `[${env.SMTP_HOST}]` : env.SMTP_HOST
  const user = encodeURIComponent(env.SMTP_USER ?? '')
  const credentials = user === '' ? '' : `${user}:${encodeURIComponent(env.SMTP_PASS ?? '')}@`
  const port = env.SMTP_PORT ?? (env.SMTP_SECURE ? 465 : 587)
  return `${env.SMTP_SECURE ? 'smtps' : 'smtp'}://${credentials}${host}:${port}`
}

export const mailsEnv = schema.transform((env) => ({
  url: urlOf(env),
  from: env.EMAIL_FROM,
  directory: env.MAIL_DIRECTORY,
}))
