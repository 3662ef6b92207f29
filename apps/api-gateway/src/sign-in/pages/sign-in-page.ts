import type { Language } from '../language.ts'
import { html } from './html.ts'
import { type Page, page } from './page.ts'
import { textsOf } from './texts.ts'

/** What kept somebody from signing in; `seconds` says how long to wait. */
export type SignInProblem =
  | { kind: 'wrong' | 'incomplete' | 'deactivated' | 'busy' | 'unavailable' }
  | { kind: 'tooMany'; seconds: number }

interface Parts {
  language: Language
  /** Where the form is sent. */
  action: string
  /** Where signing in leads, as `form-action` must name it. */
  formTargets: readonly string[]
  host: string
  /** The client somebody signs in to, when it has a name. */
  client: string | undefined
  email: string
  remember: boolean
  problem?: SignInProblem
}

/** The form of e-mail address and password. Works without scripts; a problem is announced and tied to both fields. */
export function signInPage(parts: Parts): Page {
  const { language, action, client, email, problem } = parts
  const texts = textsOf(language)
  const invalid =
    (problem?.kind === 'wrong' || problem?.kind === 'incomplete') &&
    html` aria-invalid="true" aria-describedby="problem"`
  const focus = html` autofocus`
  const body = html`<h1>${texts.signIn}</h1>
${client !== undefined && html`<p>${texts.signInTo(client)}</p>`}
${problem !== undefined && problemBox(problem, language)}
<form method="post" action="${action}">
<div class="field"><label for="login">${texts.email}</label>
<input id="login" name="login" type="email" value="${email}" autocomplete="username" autocapitalize="none" spellcheck="false" inputmode="email" maxlength="254" required${invalid}${email === '' && focus}></div>
<div class="field"><label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="512" required${invalid}${email !== '' && focus}></div>
<div class="choice"><input id="remember" name="remember" type="checkbox" value="true"${parts.remember && html` checked`}><label for="remember">${texts.remember}</label></div>
<button class="button full" type="submit">${texts.signIn}</button>
</form>`
  const title = problem === undefined ? texts.signIn : `${texts.problem} · ${texts.signIn}`
  return page({ language, title, body, formTargets: parts.formTargets, footer: texts.signInAt(parts.host) })
}

function problemBox(problem: SignInProblem, language: Language) {
  const texts = textsOf(language)
  const sentence = problem.kind === 'tooMany' ? texts.tooMany(problem.seconds) : texts[problem.kind]
  return html`<div class="error" role="alert" id="problem"><h2>${texts.problem}</h2><p>${sentence}</p></div>`
}
