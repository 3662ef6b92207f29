import type { Mail } from '@platform/mail'
import { html } from '../pages/html.ts'
import { languageOf } from '../pages/language.ts'
import { type MailText, mailTexts } from './mail-texts.ts'
import type { PostedMail } from './mails.ts'

/** Where the platform is, for the name it gives itself and for links no value holds. */
export interface MailSurroundings {
  origin: string
}

/** A posted mail as a message, in the language of its reader. */
export function renderMail(
  { to, language, template, values }: PostedMail,
  { origin }: MailSurroundings,
): Mail {
  const tag = languageOf(language, undefined)
  const { [template]: write, greeting, footer } = mailTexts[tag]
  const text = write({ host: new URL(origin).host, values })
  const url = values.url ?? values.resetUrl ?? values.signInUrl ?? `${origin}/signin`
  const parts = { ...text, url, greeting, footer }
  return {
    to,
    subject: text.subject,
    text: asText(parts),
    html: asHtml({ ...parts, language: tag }),
  }
}

interface Parts extends MailText {
  url: string
  greeting: string
  footer: string
}

const asText = ({ greeting, before, button, url, after }: Parts): string =>
  `${[greeting, ...before, `${button}:\n${url}`, ...after].join('\n\n')}\n`

const BODY =
  'margin:0;padding:24px;background:#f3f4f8;color:#151821;' +
  'font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif'
const CARD = 'max-width:480px;margin:0 auto;padding:32px;background:#ffffff;border-radius:16px'
const BUTTON =
  'display:inline-block;padding:12px 20px;background:#2c4fd6;color:#ffffff;' +
  'text-decoration:none;border-radius:10px;font-weight:600'
const SMALL = 'margin:24px 0 0;color:#545c6e;font-size:14px;overflow-wrap:anywhere'

/** Without pictures, fonts or styles from anywhere: nobody learns that a mail was opened. */
const asHtml = ({
  language,
  subject,
  greeting,
  before,
  button,
  url,
  after,
  footer,
}: Parts & { language: string }) =>
  html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${subject}</title></head>
<body style="${BODY}"><div style="${CARD}">
<p style="margin:0">${greeting}</p>
${before.map((sentence) => html`<p style="margin:16px 0 0">${sentence}</p>\n`)}
<p style="margin:24px 0"><a href="${url}" style="${BUTTON}">${button}</a></p>
${after.map((sentence) => html`<p style="margin:16px 0 0">${sentence}</p>\n`)}
<p style="${SMALL}">${footer}<br><a href="${url}" style="color:#2c4fd6">${url}</a></p>
</div></body></html>
`.toString()
