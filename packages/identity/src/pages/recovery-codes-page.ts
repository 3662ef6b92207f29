import { codeTextsOf } from './code-texts.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, problemBox, titleOf } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  action: string
  formTargets: readonly string[]
  codes: readonly string[]
  /** True when somebody went on without saying that the codes are kept. */
  notKept?: boolean
}

/** Shows recovery codes once, until somebody says that they are kept. */
export function recoveryCodesPage({ language, action, formTargets, codes, notKept = false }: Parts): Page {
  const texts = codeTextsOf(language)
  const { problem } = textsOf(language)
  const body = html`<h1>${texts.codesTitle}</h1>
<p>${texts.codesText}</p>
${notKept && problemBox(problem, html`<p>${texts.codesNotKept}</p>`)}
<ul class="codes" aria-label="${texts.codesList}">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<form method="post" action="${action}">
<div class="choice"><input id="kept" name="kept" type="checkbox" value="true"
  required${notKept && html` aria-invalid="true" aria-describedby="problem"`}>
  <label for="kept">${texts.codesKept}</label></div>
<button class="button full" type="submit">${texts.next}</button>
</form>`
  const title = titleOf(texts.codesTitle, problem, notKept)
  return page({ language, title, body, formTargets })
}
