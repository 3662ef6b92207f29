import { html } from './html.ts'
import type { Language } from './language.ts'
import { formTarget, type Page, page } from './page.ts'
import { textsOf } from './texts.ts'

interface Parts {
  language: Language
  /** Where the answer is sent. */
  action: string
  /** Who is signed in in this browser, and who would be. */
  now: string
  next: string
  /** Where signing in leads. */
  redirect: string
  /** Where one goes who stays. */
  stayUrl: string
}

/**
 * Asks before another account takes the place of the one that is signed in: whoever made the link may have meant to
 * swap them unseen.
 */
export function switchAccountPage({ language, now, next, ...parts }: Parts): Page {
  const texts = textsOf(language)
  const body = html`<h1>${texts.switchTitle}</h1>
<p class="email">${texts.switchText(now, next)}</p>
<form method="post" action="${parts.action}">
<div class="actions"><button class="button" type="submit">${texts.switchTo(next)}</button>
<a class="button quiet" href="${parts.stayUrl}">${texts.stayAs(now)}</a></div></form>`
  const target = formTarget(parts.redirect)
  return page({ language, title: texts.switchTitle, body, formTargets: target === undefined ? [] : [target] })
}
