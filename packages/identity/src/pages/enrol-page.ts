import { type CodeProblem, codeField, codeProblemBox } from './code-page.ts'
import { codeTextsOf } from './code-texts.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, titleOf } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  action: string
  formTargets: readonly string[]
  email: string | undefined
  /** A PNG as data URL; the policy of every page allows those. */
  qrImage: string
  /** Base32. */
  secret: string
  backUrl: string
  problem?: CodeProblem | undefined
}

/** Sets an authenticator up before somebody may go on: scan, type what it shows. */
export function enrolPage(parts: Parts): Page {
  const { language, problem } = parts
  const texts = codeTextsOf(language)
  const groups = parts.secret.match(/.{1,4}/g) ?? []
  const body = html`<h1>${texts.enrolTitle}</h1>
${parts.email !== undefined && html`<p class="email">${parts.email}</p>`}
<p>${texts.enrolText}</p>
${problem !== undefined && codeProblemBox(problem, 'authenticator', language)}
<ol class="steps">
<li><p>${texts.enrolScan}</p>
<img class="qr" src="${parts.qrImage}" alt="${texts.enrolPicture}">
<p class="key">${texts.enrolKey}<br><code>${groups.join(' ')}</code></p></li>
<li><form method="post" action="${parts.action}">
${codeField(texts, problem, { label: texts.enrolCode, hasFocus: problem !== undefined })}
<button class="button full" type="submit">${texts.next}</button>
</form></li>
</ol>
<p class="links"><a href="${parts.backUrl}">${texts.anotherAccount}</a></p>`
  const title = titleOf(texts.enrolTitle, textsOf(language).problem, problem !== undefined)
  return page({ language, title, body, formTargets: parts.formTargets })
}
