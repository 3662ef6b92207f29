import type { IncomingMessage, ServerResponse } from 'node:http'
import { isOver, openInteraction, stepUrl } from '../oidc/interactions.ts'
import { sendErrorPage } from '../oidc/send-error-page.ts'
import { redirect } from '../pages/page.ts'
import type { AccountPagesNeeds } from './account-pages.ts'

/**
 * GET /oidc/interaction/:uid/continue — back to the sign-in somebody left for their mail. Only here does the browser
 * tell whether it is its own and still open; if not, a new one begins.
 */
export const returnToSignIn =
  ({ provider, settings }: AccountPagesNeeds) =>
  async (request: IncomingMessage, response: ServerResponse, uid: string): Promise<void> => {
    try {
      const isOpen = await openInteraction(provider(), request, response, uid).then(() => true, whenOver)
      const location = isOpen ? stepUrl(settings, uid) : `${settings.origin}/signin`
      redirect(response, location)
    } catch (error) {
      sendErrorPage(request, response, error, settings)
    }
  }

function whenOver(error: unknown): false {
  if (isOver(error)) return false
  throw error
}
