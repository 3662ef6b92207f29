import { type FormProblem, formProblemBox, hiddenFields } from './account-form.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  title: string
  text: string
  /** Where the answer is sent. */
  action: string
  /** The secret of the mailed link. */
  token: string
  button: string
  /** True for what can't be undone. */
  danger?: boolean
  /** Another way out. */
  instead?: { text: string; url: string }
  problem?: FormProblem | undefined
}

/** Asks before a mailed link does anything: programs that look into mail open links too. */
export function questionPage({ language, title, text, button, instead, problem, ...parts }: Parts): Page {
  const body = html`<h1>${title}</h1>
<p class="email">${text}</p>
${formProblemBox(textsOf(language).errorTitle, problem, language)}
<form method="post" action="${parts.action}">${hiddenFields({ token: parts.token })}
<div class="actions"><button class="button${parts.danger === true && ' danger'}${instead === undefined && ' full'}"
  type="submit">${button}</button>
${instead !== undefined && html`<a class="button quiet" href="${instead.url}">${instead.text}</a>`}</div></form>`
  return page({ language, title, body, formTargets: [] })
}
