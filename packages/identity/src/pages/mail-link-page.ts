import { emailField, type FormProblem, fieldsOf, formProblemBox, hiddenFields } from './account-form.ts'
import { accountTextsOf } from './account-texts.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, titleOf } from './page.ts'

/** What the mail is for: a new password, or the confirmation of an address. */
export type MailedLink = 'password' | 'validation'

interface Parts {
  language: Language
  link: MailedLink
  /** Where the form is sent. */
  action: string
  signInUrl: string
  email: string
  /** The sign-in that goes on after the mail. */
  interaction: string | undefined
  problem?: FormProblem | undefined
}

/** Asks which address a link is to be mailed to. */
export function mailLinkPage({ language, link, problem, ...parts }: Parts): Page {
  const texts = accountTextsOf(language)
  const { title, text } = {
    password: { title: texts.forgotten, text: texts.forgottenText },
    validation: { title: texts.validationMail, text: texts.validationMailText },
  }[link]
  const body = html`<h1>${title}</h1>
<p>${text}</p>
${formProblemBox(texts.notSent, problem, language)}
<form method="post" action="${parts.action}">${hiddenFields({ interaction: parts.interaction })}
${fieldsOf([emailField(language, parts.email)], language, problem)}
<button class="button full" type="submit">${texts.sendLink}</button>
</form>
<p class="aside">${link === 'password' && html`${texts.rememberedIt} `}<a
  href="${parts.signInUrl}">${texts.signIn}</a></p>`
  return page({
    language,
    title: titleOf(title, texts.notSent, problem !== undefined),
    body,
    formTargets: [],
  })
}
