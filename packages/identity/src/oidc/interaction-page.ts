import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSameOrigin, readForm } from '../pages/read-form.ts'
import { type OpenInteraction, openInteraction, sentByAnotherSite } from './interactions.ts'
import type { InteractionListener } from './oidc-listener.ts'
import { sendErrorPage } from './send-error-page.ts'
import type { SignInNeeds } from './sign-in-needs.ts'

/** One open authorization and the browser it belongs to. */
export interface InteractionContext {
  request: IncomingMessage
  response: ServerResponse
  open: OpenInteraction
}

type Needs = Pick<SignInNeeds, 'provider' | 'settings'>

/** A page of an open authorization: opens that first, and answers what goes wrong with a page. */
export const interactionPage =
  (
    { provider, settings }: Needs,
    show: (context: InteractionContext) => Promise<void>,
  ): InteractionListener =>
  async (request, response, uid) => {
    try {
      await show({ request, response, open: await openInteraction(provider(), request, response, uid) })
    } catch (error) {
      sendErrorPage(request, response, error, settings)
    }
  }

/**
 * A form of such a page. One that a page of none of `origins` has sent is refused; they are this platform's own
 * without it.
 */
export const interactionForm = (
  needs: Needs,
  submit: (context: InteractionContext, form: URLSearchParams) => Promise<void>,
  origins: readonly string[] = [needs.settings.origin],
): InteractionListener =>
  interactionPage(needs, async (context) => {
    const { request, open } = context
    if (!isSameOrigin(request.headers, origins)) throw sentByAnotherSite(open.language)
    await submit(context, await readForm(request))
  })
