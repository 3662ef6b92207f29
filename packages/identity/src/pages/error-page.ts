import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  /** What happened, in a sentence. */
  message: string
  /** A word or id that support can search for. */
  code: string | undefined
  /** Where to start again. */
  startUrl: string
}

/** Says what went wrong and what to do now. */
export function errorPage({ language, message, code, startUrl }: Parts): Page {
  const texts = textsOf(language)
  const body = html`<h1>${texts.errorTitle}</h1>
<div class="error" role="alert"><p>${message}</p></div>
${code !== undefined && html`<p>${texts.errorCode}: <code>${code}</code></p>`}
<div class="actions"><a class="button full" href="${startUrl}">${texts.signIn}</a></div>`
  return page({ language, title: texts.errorTitle, body })
}
