import type { IncomingMessage, ServerResponse } from 'node:http'
import { languageOf, noticePage, sendPage, welcomeTextsOf } from '@platform/identity/pages'
import { prefersPage } from './prefers-page.ts'

/** Paths of programs: there every client gets the one error body. */
const OF_PROGRAMS = /^\/(?:v\d+|oidc|sys|metrics|\.well-known)(?:\/|$)/
const SHOWN_CHARACTERS = 120

/** Shows a page to a browser that looks for one where there is nothing; false where the error body is to be sent. */
export function showMissing(request: IncomingMessage, response: ServerResponse, path: string): boolean {
  const { method, headers } = request
  if ((method !== 'GET' && method !== 'HEAD') || OF_PROGRAMS.test(path) || !prefersPage(headers.accept))
    return false
  const language = languageOf(undefined, headers['accept-language'])
  const texts = welcomeTextsOf(language)
  const shown = path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path
  const page = noticePage({
    language,
    title: texts.missing,
    text: texts.missingText(shown),
    next: { text: texts.home, url: '/' },
  })
  sendPage(response, 404, { ...page, headers: { ...page.headers, vary: 'Accept, Accept-Language' } })
  return true
}
