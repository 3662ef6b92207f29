import { type CodeTexts, codeTextsOf } from './code-texts.ts'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import { type Page, page, problemBox, titleOf } from './page.ts'
import { textsOf } from './texts.ts'

/** What was wrong with a code; `seconds` says how long to wait. */
export type CodeProblem = { kind: 'wrong' | 'missing' } | { kind: 'tooMany'; seconds: number }

interface Parts {
  language: Language
  /** Where the form is sent. */
  action: string
  formTargets: readonly string[]
  /** Of the authenticator, or one of those kept for when it is lost. */
  kind: 'authenticator' | 'recovery'
  /** Whose code it is. */
  email: string | undefined
  /** The page that asks for the other kind. */
  otherKindUrl: string
  /** The sign-in form, for another account. */
  backUrl: string
  problem?: CodeProblem | undefined
}

/** Asks for what only the owner of an account has besides the password. */
export function codePage(parts: Parts): Page {
  const { language, action, kind, email, formTargets, problem } = parts
  const texts = codeTextsOf(language)
  const isRecovery = kind === 'recovery'
  const heading = isRecovery ? texts.recoveryTitle : texts.codeTitle
  const body = html`<h1>${heading}</h1>
${email !== undefined && html`<p class="email">${email}</p>`}
<p>${isRecovery ? texts.recoveryText : texts.codeText}</p>
${problem !== undefined && codeProblemBox(problem, kind, language)}
<form method="post" action="${action}">
${isRecovery ? recoveryField(texts, problem) : codeField(texts, problem)}
<button class="button full" type="submit">${texts.next}</button>
</form>
<p class="links"><a href="${parts.otherKindUrl}">${isRecovery ? texts.useAuthenticator : texts.useRecoveryCode}</a>
<a href="${parts.backUrl}">${texts.anotherAccount}</a></p>`
  const title = titleOf(heading, textsOf(language).problem, problem !== undefined)
  return page({ language, title, body, formTargets })
}

/** The field of a six-digit code. Without focus where there is something to do before: a focus would scroll past it. */
export function codeField(
  texts: CodeTexts,
  problem: CodeProblem | undefined,
  { label = texts.code, hasFocus = true } = {},
): Html {
  return html`<div class="field"><label for="code">${label}</label>
<input class="code" id="code" name="code" type="text"
  inputmode="numeric" autocomplete="one-time-code" pattern="[0-9\\s]*" maxlength="12" spellcheck="false"
  required${hasFocus && html` autofocus`}${invalid(problem)}></div>`
}

const recoveryField = (texts: CodeTexts, problem: CodeProblem | undefined): Html =>
  html`<input type="hidden" name="kind" value="recovery">
<div class="field"><label for="code">${texts.recoveryCode}</label>
<input class="code" id="code" name="code" type="text" autocomplete="off"
  autocapitalize="characters" spellcheck="false" maxlength="40" placeholder="XXXXX-XXXXX-XXXXX"
  required autofocus${invalid(problem)}></div>`

const invalid = (problem: CodeProblem | undefined) =>
  problem !== undefined && problem.kind !== 'tooMany' && html` aria-invalid="true" aria-describedby="problem"`

/** What went wrong, announced. */
export const codeProblemBox = (problem: CodeProblem, kind: Parts['kind'], language: Language): Html =>
  problemBox(textsOf(language).problem, html`<p>${sentence(problem, kind, language)}</p>`)

function sentence(problem: CodeProblem, kind: Parts['kind'], language: Language): string {
  const texts = codeTextsOf(language)
  if (problem.kind === 'tooMany') return textsOf(language).tooMany(problem.seconds)
  if (kind === 'recovery') return problem.kind === 'wrong' ? texts.recoveryWrong : texts.recoveryMissing
  return problem.kind === 'wrong' ? texts.codeWrong : texts.codeMissing
}
