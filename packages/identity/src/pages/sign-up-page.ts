import { emailField, type FormProblem, fieldsOf, formProblemBox, newPasswordField } from './account-form.ts'
import { accountTextsOf } from './account-texts.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, titleOf } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  /** Where the form is sent. */
  action: string
  /** Where signing in leads, as `form-action` must name it: an account that can be used at once goes there. */
  formTargets: readonly string[]
  /** Where those with an account go. */
  signInUrl: string
  host: string
  /** The client somebody signs in to, when it has a name. */
  client: string | undefined
  typed: { email: string; firstName: string; lastName: string }
  problem?: FormProblem | undefined
}

/** The form of a new account. */
export function signUpPage({ language, typed, problem, client, ...parts }: Parts): Page {
  const texts = accountTextsOf(language)
  const fields = [
    { name: 'firstName', label: texts.firstName, autocomplete: 'given-name', value: typed.firstName },
    { name: 'lastName', label: texts.lastName, autocomplete: 'family-name', value: typed.lastName },
    emailField(language, typed.email),
    newPasswordField(language, textsOf(language).password),
  ] as const
  const body = html`<h1>${texts.createTitle}</h1>
${client !== undefined && html`<p>${textsOf(language).signInTo(client)}</p>`}
${formProblemBox(texts.notCreated, problem, language)}
<form method="post" action="${parts.action}">
${fieldsOf(fields, language, problem)}
<button class="button full" type="submit">${texts.create}</button>
</form>
<p class="aside">${texts.haveAccount} <a href="${parts.signInUrl}">${texts.signIn}</a></p>`
  const title = titleOf(texts.createTitle, texts.notCreated, problem !== undefined)
  const footer = textsOf(language).signInAt(parts.host)
  return page({ language, title, body, formTargets: parts.formTargets, footer, choosesPassword: true })
}
