import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState, toFailure } from '@platform/http'
import { Failure } from '@platform/kernel'
import { errors, type Interaction, type Provider } from 'oidc-provider'
import { type Language, languageOf } from '../sign-in/language.ts'
import { errorPage } from '../sign-in/pages/error-page.ts'
import { formTarget } from '../sign-in/pages/page.ts'
import { type SignInProblem, signInPage } from '../sign-in/pages/sign-in-page.ts'
import { textsOf } from '../sign-in/pages/texts.ts'
import { sendPage } from '../sign-in/send-page.ts'
import { GATEWAY_CLIENT_ID } from './clients.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** An authorization that waits for a person. */
export interface OpenInteraction {
  interaction: Interaction
  language: Language
}

/** What the person has typed so far. */
export interface Typed {
  email: string
  remember: boolean
}

/** The authorization a browser came for. Rejects with SessionNotFound when it is over or belongs to another browser. */
export async function openInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
): Promise<OpenInteraction> {
  const interaction = await provider.interactionDetails(request, response)
  if (interaction.uid !== uid) throw new errors.SessionNotFound('the interaction belongs to another address')
  return {
    interaction,
    language: languageOf(interaction.params.ui_locales, request.headers['accept-language']),
  }
}

/** The form of an open authorization, with what went wrong when something did. */
export async function formPage(
  { provider, settings }: { provider: Provider; settings: OidcSettings },
  { interaction, language }: OpenInteraction,
  typed: Typed,
  problem?: SignInProblem,
) {
  const { params } = interaction
  const client = await provider.Client.find(String(params.client_id))
  const target = formTarget(String(params.redirect_uri ?? ''))
  return signInPage({
    language,
    action: `${settings.issuer}/interaction/${interaction.uid}/login`,
    formTargets: target === undefined ? [] : [target],
    host: new URL(settings.origin).host,
    client: client?.clientId === GATEWAY_CLIENT_ID ? undefined : client?.clientName,
    ...typed,
    ...(problem === undefined ? {} : { problem }),
  })
}

/** A page that says why a sign-in can't go on; what nobody foresaw is logged under the code the page shows. */
export function sendErrorPage(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  settings: OidcSettings,
): void {
  const language = languageOf(undefined, request.headers['accept-language'])
  const texts = textsOf(language)
  const startUrl = `${settings.origin}/signin`
  if (error instanceof errors.SessionNotFound) {
    sendPage(response, 400, errorPage({ language, message: texts.expired, code: undefined, startUrl }))
    return
  }
  const failure = toFailure(error)
  const { log, correlationId } = requestState(request)
  if (failure.status >= 500) log.error({ err: failure.cause ?? failure, correlationId }, 'sign-in failed')
  if (failure.status === 503) response.setHeader('retry-after', String(failure.retryAfterSeconds ?? 1))
  const message =
    failure.status === 503 ? texts.unavailable : failure.status >= 500 ? texts.internal : failure.message
  sendPage(response, failure.status, errorPage({ language, message, code: correlationId, startUrl }))
}

/** The failure of a form another site has sent. */
export const sentByAnotherSite = (language: Language): Failure =>
  new Failure('ForbiddenError', textsOf(language).otherSite)
