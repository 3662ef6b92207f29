import { accountTextsOf } from '../pages/account-texts.ts'
import { noticePage } from '../pages/notice-page.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/page.ts'
import type { PageContext } from './account-pages.ts'

const TOKEN = /^[A-Za-z0-9_.-]{20,200}$/

/** The secret of a mailed link, in an address or a form; undefined when there is none that could be one. */
export function tokenOf(given: URLSearchParams): string | undefined {
  const token = given.get('token') ?? ''
  return TOKEN.test(token) ? token : undefined
}

/** A page with a secret in its address tells nobody where it was. */
export const withoutReferrer = ({ html, headers }: Page): Page => ({
  html,
  headers: { ...headers, 'referrer-policy': 'no-referrer' },
})

/** Says that a link can't be used, and where to get another; without `newLinkUrl` there is no page for that. */
export function sendBadLink({ language, response }: PageContext, newLinkUrl?: string): void {
  const texts = accountTextsOf(language)
  const parts = { language, title: texts.badLink, failed: true }
  const page =
    newLinkUrl === undefined
      ? noticePage({ ...parts, text: texts.badDeletionLinkText })
      : noticePage({ ...parts, text: texts.badLinkText, next: { text: texts.newLink, url: newLinkUrl } })
  sendPage(response, 400, withoutReferrer(page))
}
