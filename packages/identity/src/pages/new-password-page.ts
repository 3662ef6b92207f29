import { type FormProblem, fieldsOf, formProblemBox, hiddenFields, newPasswordField } from './account-form.ts'
import { accountTextsOf } from './account-texts.ts'
import { html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, titleOf } from './page.ts'

interface Parts {
  language: Language
  /** Where the form is sent. */
  action: string
  /** The secret of the mailed link. */
  token: string
  problem?: FormProblem | undefined
}

/** The form of a new password, opened by a mailed link. */
export function newPasswordPage({ language, action, token, problem }: Parts): Page {
  const texts = accountTextsOf(language)
  const body = html`<h1>${texts.setPassword}</h1>
<p>${texts.setPasswordText}</p>
${formProblemBox(texts.notSaved, problem, language)}
<form method="post" action="${action}">${hiddenFields({ token })}
${fieldsOf([newPasswordField(language, texts.newPassword)], language, problem)}
<button class="button full" type="submit">${texts.savePassword}</button>
</form>`
  return page({
    language,
    title: titleOf(texts.setPassword, texts.notSaved, problem !== undefined),
    body,
    formTargets: [],
    choosesPassword: true,
  })
}
