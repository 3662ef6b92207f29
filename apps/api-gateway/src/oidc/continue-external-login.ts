import { errors, type Provider } from 'oidc-provider'
import type { ExternalSignIn } from '../auth-providers/external-sign-in.ts'
import { interactionPage } from './interaction-page.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { replacing } from './waiting-sign-in.ts'

interface Needs {
  provider: () => Provider
  settings: OidcSettings
  external: Pick<ExternalSignIn, 'takeTicket'>
}

/**
 * GET /oidc/interaction/:uid/external — the callback can't see the cookie of the authorization, whose path is this one; so it sends
 * people here with a ticket, and the sign-in ends in the browser it began in.
 */
export const continueExternalLogin = ({ external, ...needs }: Needs) =>
  interactionPage(needs, async ({ request, response, open }) => {
    const ticket = new URL(request.url ?? '', needs.settings.origin).searchParams.get('ticket') ?? ''
    const finished = await external.takeTicket(ticket, open.interaction.uid)
    if (finished === undefined) throw new errors.SessionNotFound('the ticket was used or is over')

    const amr = ['fed', `idp:${finished.provider}`]
    const login = { accountId: finished.userId, remember: false, amr }
    await needs.provider().interactionFinished(request, response, { login }, replacing)
  })
