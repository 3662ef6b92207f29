import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page } from './page.ts'
import { textsOf } from './texts.ts'

interface Question {
  language: Language
  host: string
  action: string
  /** Proves that the form was made for this browser. */
  xsrf: string
  formTargets: readonly string[]
}

/** Asks before it signs out, so that a link on another site can't do it. */
export function signOutPage({ language, host, action, xsrf, formTargets }: Question): Page {
  const texts = textsOf(language)
  const body = html`<h1>${texts.signOutTitle}</h1>
<p>${texts.signOutText(host)}</p>
<form method="post" action="${action}"><input type="hidden" name="xsrf" value="${xsrf}">
<div class="actions"><button class="button" type="submit" name="logout" value="yes" autofocus>${texts.signOut}</button>
<button class="button quiet" type="submit">${texts.staySignedIn}</button></div></form>`
  return page({ language, title: texts.signOutTitle, body, formTargets })
}

/** Says that the session is over. */
export function signedOutPage({ language, startUrl }: { language: Language; startUrl: string }): Page {
  const texts = textsOf(language)
  const body = html`<h1>${texts.signedOut}</h1>
<p>${texts.signedOutText}</p>
<div class="actions"><a class="button full" href="${startUrl}">${texts.signInAgain}</a></div>`
  return page({ language, title: texts.signedOut, body })
}
