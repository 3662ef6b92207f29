import { getStatus as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { languageOf } from '@platform/identity/pages'
import { homePage } from './home-page.ts'
import { prefersPage } from './prefers-page.ts'

/** Touches no dependency: it says that the process is up; to a browser also what this is and where to go. */
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
