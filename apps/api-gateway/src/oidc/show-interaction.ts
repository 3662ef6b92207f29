import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'
import type { Provider } from 'oidc-provider'
import { sendPage } from '../sign-in/send-page.ts'
import { isFirstParty } from './clients.ts'
import { formPage, openInteraction, sendErrorPage } from './interactions.ts'
import type { OidcSettings } from './oidc-settings.ts'

interface Needs {
  provider: () => Provider
  settings: OidcSettings
}

/** GET /oidc/interaction/:uid — the sign-in form, or, where only consent is missing, straight on: the platform's clients need none. */
export const showInteraction =
  ({ provider, settings }: Needs) =>
  async (request: IncomingMessage, response: ServerResponse, uid: string): Promise<void> => {
    try {
      const open = await openInteraction(provider(), request, response, uid)
      if (open.interaction.prompt.name === 'consent') {
        requireFirstParty(String(open.interaction.params.client_id), settings)
        return await provider().interactionFinished(
          request,
          response,
          { consent: {} },
          { mergeWithLastSubmission: true },
        )
      }
      const email = String(open.interaction.params.login_hint ?? '').slice(0, 254)
      const form = await formPage({ provider: provider(), settings }, open, { email, remember: false })
      sendPage(response, 200, form)
    } catch (error) {
      sendErrorPage(request, response, error, settings)
    }
  }

/** Nobody's consent is assumed for what does not belong to the platform. */
function requireFirstParty(clientId: string, settings: OidcSettings): void {
  if (isFirstParty(clientId, settings)) return
  throw new Failure(
    'ForbiddenError',
    'This client needs the consent of its users, which this platform can’t ask for yet.',
  )
}
