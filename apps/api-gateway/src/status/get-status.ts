import { getStatus as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { languageOf } from '../sign-in/language.ts'
import { homePage } from '../welcome/home-page.ts'
import { prefersPage } from '../welcome/prefers-page.ts'

/**
 * Touches no dependency: it says that the process is up, nothing more; to a browser also what this is and where to go
 * (decisions J2).
 */
export const getStatus = ({ version, apiUrl }: { version: string; apiUrl: string }) =>
  route(endpoint, {
    async handle({ request }) {
      const { accept, 'accept-language': languages } = request.headers
      if (!prefersPage(accept)) {
        const status = { status: 'ok' as const, name: 'api-gateway', version }
        return respond(status, { headers: { vary: 'Accept, Origin' } })
      }
      const language = languageOf(undefined, languages)
      const { html, headers } = homePage({ language, version, origin: new URL(apiUrl).origin })
      const { 'content-type': contentType = 'text/html', ...rest } = headers
      return respond(html, { contentType, headers: { ...rest, vary: 'Accept, Accept-Language, Origin' } })
    },
  })
