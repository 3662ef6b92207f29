import { consentTextsOf, scopeText } from './consent-texts.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  /** Where the form is sent. */
  action: string
  /** Where the answer leads, as `form-action` must name it. */
  formTargets: readonly string[]
  /** Host of this platform, for people to compare with the address bar. */
  host: string
  client: string
  /** Host the answer goes to; undefined for an app on the person's own device. */
  place: string | undefined
  /** Whose account it is about. */
  account: string
  scopes: readonly string[]
}

/**
 * Asks a person what a client may do that does not belong to the platform. Works without scripts; neither answer is
 * preselected.
 */
export function consentPage(parts: Parts): Page {
  const { language, client, place } = parts
  const texts = consentTextsOf(language)
  const title = texts.title(client)
  const body = html`<h1 class="email">${title}</h1>
<p class="email">${place === undefined ? texts.introApp(client) : texts.intro(client, place)}</p>
<p class="email">${texts.signedInAs(parts.account)}</p>
<h2 id="scopes">${texts.list}</h2>
<ul aria-labelledby="scopes">${parts.scopes.map((scope) => html`<li>${scopeText(texts, scope)}</li>`)}</ul>
<p>${texts.warning}</p>
<form method="post" action="${parts.action}"><div class="actions">
<button class="button" type="submit" name="decision" value="allow">${texts.allow}</button>
<button class="button quiet" type="submit" name="decision" value="deny">${texts.deny}</button>
</div></form>`
  const footer = textsOf(language).signInAt(parts.host)
  return page({ language, title, body, formTargets: parts.formTargets, footer })
}
