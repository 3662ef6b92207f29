import { accountTextsOf } from './account-texts.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import { problemBox } from './page.ts'
import { textsOf } from './texts.ts'

/** A sentence of the texts that is about one field. */
export type FieldProblem =
  | `email${'Missing' | 'Wrong' | 'Taken'}`
  | `${'firstName' | 'lastName'}${'Missing' | 'Wrong'}`
  | `password${'Missing' | 'Short' | 'Long' | 'Common' | 'Personal'}`

/** What a form about an account may ask for. */
export type FieldName = 'email' | 'firstName' | 'lastName' | 'password'

/** What kept a form from being done. */
export type FormProblem =
  | { kind: 'fields'; fields: Readonly<Partial<Record<FieldName, FieldProblem>>> }
  | { kind: 'tooMany'; seconds: number }
  | { kind: 'busy' | 'unavailable' }

interface Field {
  name: FieldName
  label: string
  autocomplete: string
  value?: string
  hint?: string
}

const attributes: Record<FieldName, Html> = {
  email: html` type="email" autocapitalize="none" spellcheck="false" inputmode="email" maxlength="254"`,
  firstName: html` type="text" maxlength="60"`,
  lastName: html` type="text" maxlength="60"`,
  password: html` type="password" minlength="8" maxlength="512"`,
}

/**
 * The fields of one form: each labelled, with its hint and its own problem tied to it; the first that needs a hand
 * has the focus.
 */
export function fieldsOf(
  fields: readonly Field[],
  language: Language,
  problem: FormProblem | undefined,
): Html {
  const wrong = problem?.kind === 'fields' ? problem.fields : {}
  const focused =
    fields.find(({ name }) => wrong[name] !== undefined) ??
    fields.find(({ value }) => value === undefined || value === '')
  return html`${fields.map((field) => fieldOf(field, language, wrong[field.name], field === focused))}`
}

function fieldOf(
  { name, label, autocomplete, value, hint }: Field,
  language: Language,
  problem: FieldProblem | undefined,
  hasFocus: boolean,
): Html {
  const ids = [problem && `${name}-problem`, hint && `${name}-hint`].filter((id) => id !== undefined)
  const told = ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`
  const invalid = problem !== undefined && html` aria-invalid="true"`
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}"${attributes[name]}
  autocomplete="${autocomplete}"${value !== undefined && html` value="${value}"`}
  required${invalid}${told}${hasFocus && html` autofocus`}>
${problem !== undefined && html`<p class="problem" id="${name}-problem">${accountTextsOf(language)[problem]}</p>`}
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${autocomplete === 'new-password' && strengthOf(name, language)}</div>`
}

/** Filled by the script of the page; without scripts it stays empty. */
function strengthOf(name: FieldName, language: Language): Html {
  const { showPassword, strength, strengths } = accountTextsOf(language)
  return html`<p class="strength" id="${name}-strength" role="status"
  data-show="${showPassword}" data-label="${strength}" data-words="${strengths}"></p>`
}

/** The e-mail address, as sign-up and the forms that send mail ask for it. */
export const emailField = (language: Language, value: string): Field => ({
  name: 'email',
  label: textsOf(language).email,
  autocomplete: 'email',
  value,
})

/** A password that is chosen now. */
export const newPasswordField = (language: Language, label: string): Field => ({
  name: 'password',
  label,
  autocomplete: 'new-password',
  hint: accountTextsOf(language).passwordHint,
})

/** What went wrong, announced. */
export const formProblemBox = (title: string, problem: FormProblem | undefined, language: Language): Html =>
  problem === undefined ? html`` : problemBox(title, sentences(problem, language))

function sentences(problem: FormProblem, language: Language): Html {
  const texts = accountTextsOf(language)
  if (problem.kind === 'tooMany') return html`<p>${texts.tooMany(problem.seconds)}</p>`
  if (problem.kind !== 'fields') return html`<p>${textsOf(language)[problem.kind]}</p>`
  // Each sentence stands beside its field, once; the first of them has the focus.
  return html`<p>${texts.lookAtFields}</p>`
}

/** Values a form carries along. */
export const hiddenFields = (values: Readonly<Record<string, string | undefined>>): Html =>
  html`${Object.entries(values).map(
    ([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`,
  )}`
