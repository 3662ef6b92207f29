import { hiddenFields } from './account-form.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page } from './page.ts'

interface Parts {
  language: Language
  title: string
  text: string
  /** True when something did not work: it is announced. */
  failed?: boolean
  /** Where to go on. */
  next?: { text: string; url: string }
  /** A button that asks for the same again. */
  again?: {
    text: string
    button: string
    action: string
    values: Readonly<Record<string, string | undefined>>
  }
}

/** Says what has happened and where to go on. */
export function noticePage({ language, title, text, failed, next, again }: Parts): Page {
  const told =
    failed === true
      ? html`<div class="error" role="alert"><p>${text}</p></div>`
      : html`<p class="email">${text}</p>`
  const body = html`<h1>${title}</h1>
${told}
${next !== undefined && html`<div class="actions"><a class="button full" href="${next.url}">${next.text}</a></div>`}
${again !== undefined && againForm(again)}`
  return page({ language, title, body, ...(again === undefined ? {} : { formTargets: [] }) })
}

const againForm = ({ text, button, action, values }: NonNullable<Parts['again']>): Html =>
  html`<form method="post" action="${action}" class="again">${hiddenFields(values)}<p>${text}</p>
<div class="actions"><button class="button quiet" type="submit">${button}</button></div></form>`
