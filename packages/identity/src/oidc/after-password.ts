import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState } from '@platform/http'
import { redirect } from '../pages/page.ts'
import type { UserRecord } from '../users/user.ts'
import { consoleForm } from './console-form.ts'
import { type OpenInteraction, stepUrl } from './interactions.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { AMR, provedAt, replacing, toFinish, toWait } from './waiting-sign-in.ts'

type Needs = Pick<SignInNeeds, 'provider' | 'settings' | 'signIn' | 'secondFactors' | 'devices' | 'clock'>

/**
 * Goes on with a sign-in whose password was right: straight to its end, or to the second factor. Until that is there,
 * nothing that could sign anybody in exists: the interaction remembers only whose password it was.
 */
export const afterPassword =
  (needs: Needs) =>
  async (
    request: IncomingMessage,
    response: ServerResponse,
    { interaction }: OpenInteraction,
    user: UserRecord,
    remember = false,
  ): Promise<void> => {
    const { provider, settings, secondFactors, devices, clock } = needs
    if (user.email !== undefined) response.appendHeader('set-cookie', devices.cookieFor(user.email))
    const ts = provedAt(user, requestState(request).startedAt)
    const signIn = { accountId: user.id, account: user.updatedAt.toISOString(), remember, ts }
    const need = await secondFactors.needOf(user)
    if (need === 'none')
      return provider().interactionFinished(request, response, toFinish(signIn, AMR.password), replacing)

    if (need === 'enrol') await secondFactors.begin(user)
    const waiting = toWait({ ...signIn, since: clock.now().getTime() })
    await provider().interactionResult(request, response, waiting, replacing)
    const ownForm = need === 'code' ? consoleForm(needs, interaction, 'MissingMFA') : undefined
    redirect(response, ownForm ?? stepUrl(settings, interaction.uid))
  }
