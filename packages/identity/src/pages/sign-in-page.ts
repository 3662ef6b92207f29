import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, problemBox, titleOf } from './page.ts'
import { type Texts, textsOf } from './texts.ts'

/** What kept somebody from signing in; `seconds` says how long to wait. */
export type SignInProblem =
  | { kind: 'wrong' | 'incomplete' | 'deactivated' | 'busy' }
  | { kind: 'tooMany'; seconds: number }
  /** The code after the password came too late. */
  | { kind: 'stale' }
  /** The address was not confirmed yet; `url` is where the mail can be asked for again. */
  | { kind: 'notConfirmed'; url: string | undefined }
  /** An administrator has to approve the account. */
  | { kind: 'notApproved' }

/** Another page to go to. */
export interface PageLink {
  text: string
  url: string
}

/** Somebody else who knows people. */
export interface ProviderButton {
  name: string
  url: string
}

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
  /** False where no passwords are taken. */
  withPassword: boolean
  providers: readonly ProviderButton[]
  links: readonly PageLink[]
  problem?: SignInProblem
}

/**
 * The form of e-mail address and password, and the other ways in. Works without scripts; a problem is announced and
 * tied to both fields.
 */
export function signInPage(parts: Parts): Page {
  const { language, client, problem, withPassword, providers, links, formTargets } = parts
  const texts = textsOf(language)
  const body = html`<h1>${texts.signIn}</h1>
${client !== undefined && html`<p>${texts.signInTo(client)}</p>`}
${problem !== undefined && signInProblemBox(problem, texts)}
${withPassword && passwordForm(parts)}
${withPassword && providers.length > 0 && html`<p class="or"><span>${texts.or}</span></p>`}
${
  providers.length > 0 &&
  html`<div class="providers">
${providers.map((provider) => providerButton(provider, texts))}</div>`
}
${!withPassword && providers.length === 0 && html`<p>${texts.noWay}</p>`}
${links.length > 0 && html`<p class="links">${links.map(({ text, url }) => html`<a href="${url}">${text}</a>\n`)}</p>`}`
  const title = titleOf(texts.signIn, texts.problem, problem !== undefined)
  return page({ language, title, body, formTargets, footer: texts.signInAt(parts.host) })
}

function passwordForm({ language, action, email, remember, problem }: Parts): Html {
  const texts = textsOf(language)
  const invalid =
    (problem?.kind === 'wrong' || problem?.kind === 'incomplete') &&
    html` aria-invalid="true" aria-describedby="problem"`
  const focus = html` autofocus`
  return html`<form method="post" action="${action}">
<div class="field"><label for="login">${texts.email}</label>
<input id="login" name="login" type="email" value="${email}" autocomplete="username"
  autocapitalize="none" spellcheck="false" inputmode="email" maxlength="254"
  required${invalid}${email === '' && focus}></div>
<div class="field"><label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="512"
  required${invalid}${email !== '' && focus}></div>
<div class="choice"><input id="remember" name="remember" type="checkbox"
  value="true"${remember && html` checked`}><label for="remember">${texts.remember}</label></div>
<button class="button full" type="submit">${texts.signIn}</button>
</form>`
}

const providerButton = ({ name, url }: ProviderButton, texts: Texts): Html =>
  html`<a class="button quiet full" href="${url}">${texts.withProvider(name)}</a>`

function signInProblemBox(problem: SignInProblem, texts: Texts): Html {
  const again =
    problem.kind === 'notConfirmed' &&
    problem.url !== undefined &&
    html`<p><a href="${problem.url}">${texts.sendAgain}</a></p>`
  return problemBox(texts.problem, html`<p>${sentence(problem, texts)}</p>${again}`)
}

const sentence = (problem: SignInProblem, texts: Texts): string =>
  problem.kind === 'tooMany' ? texts.tooMany(problem.seconds) : texts[problem.kind]
