import { type RequestInfo, type RouteResponse, respond } from '@platform/http'
import { errorPage } from '../../pages/error-page.ts'
import { html } from '../../pages/html.ts'
import { type Language, languageOf } from '../../pages/language.ts'
import { type Page, page } from '../../pages/page.ts'
import { textsOf } from '../../pages/texts.ts'
import type { AuthProvider } from './auth-provider.ts'
import { externalTexts } from './external-texts.ts'

/** Why a sign-in at another provider can't go on. */
export type ExternalProblem = 'expired' | 'refused' | 'unverified' | 'unavailable' | 'deactivated' | 'taken'

const STATUS: Record<ExternalProblem, number> = {
  expired: 400,
  refused: 400,
  unverified: 400,
  unavailable: 503,
  deactivated: 403,
  taken: 409,
}

/** What people call a provider. */
export const nameOf = ({ name, slug }: Pick<AuthProvider, 'name' | 'slug'>): string => name ?? slug

/** Says what went wrong, with the way back to the sign-in; `headers` go with it. */
export function problemAnswer(
  problem: ExternalProblem,
  request: RequestInfo,
  place: { name: string; startUrl: string; headers?: Record<string, string> },
): RouteResponse {
  const language = languageOf(undefined, request.headers['accept-language'])
  const { startUrl } = place
  const message = messageOf(problem, language, place.name)
  const { html: text, headers } = errorPage({ language, message, code: request.correlationId, startUrl })
  const { 'content-type': contentType = 'text/html', ...rest } = headers
  const retry = problem === 'unavailable' ? { 'retry-after': '10' } : {}
  return respond(text, {
    status: STATUS[problem],
    contentType,
    headers: { ...rest, ...retry, ...place.headers },
  })
}

function messageOf(problem: ExternalProblem, language: Language, name: string): string {
  if (problem === 'expired') return textsOf(language).expired
  const text = externalTexts(language)[problem]
  return typeof text === 'string' ? text : text(name)
}

/**
 * Leads from a submitted form to another origin. A redirect would not do: browsers hold it to the `form-action` of
 * the form's page, which can't name every provider.
 */
export function elsewherePage(language: Language, provider: AuthProvider, url: string): Page {
  const texts = externalTexts(language)
  const name = nameOf(provider)
  const body = html`<h1>${texts.elsewhere}</h1>
<p>${texts.elsewhereText(name)}</p>
<div class="actions"><a class="button full" href="${url}">${texts.with(name)}</a></div>`
  const { html: text, headers } = page({ language, title: texts.elsewhere, body })
  return { html: text, headers: { ...headers, refresh: `0; url=${url}` } }
}
