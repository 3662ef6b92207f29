import type { Clock } from '@platform/kernel'
import { errors, type Provider } from 'oidc-provider'
import type { UserRecord } from '../../users/user.ts'
import { interactionPage } from '../interaction-page.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import { provedAt, replacing } from '../waiting-sign-in.ts'
import type { ExternalSignIn } from './external-sign-in.ts'

interface Needs {
  provider: () => Provider
  settings: OidcSettings
  external: Pick<ExternalSignIn, 'takeTicket'>
  users: { find(id: string): Promise<UserRecord | undefined> }
  clock: Clock
}

/**
 * GET /oidc/interaction/:uid/external — the callback can't see the cookie of the authorization, whose path is this
 * one; so it sends people here with a ticket, and the sign-in ends in the browser it began in.
 */
export const continueExternalSignIn = ({ external, users, clock, ...needs }: Needs) =>
  interactionPage(needs, async ({ request, response, open }) => {
    const ticket = new URL(request.url ?? '', needs.settings.origin).searchParams.get('ticket') ?? ''
    const finished = await external.takeTicket(ticket, open.interaction.uid)
    if (finished === undefined) throw new errors.SessionNotFound('the ticket was used or is over')

    const user = await users.find(finished.userId)
    if (user === undefined) throw new errors.SessionNotFound('the account was deleted')

    const ts = provedAt(user, clock.now().getTime())
    const login = { accountId: user.id, remember: false, ts, amr: ['fed', `idp:${finished.provider}`] }
    await needs.provider().interactionFinished(request, response, { login }, replacing)
  })
