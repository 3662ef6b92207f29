import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'
import { errors, type Interaction, type Provider } from 'oidc-provider'
import { type Language, languageOf } from '../pages/language.ts'
import { formTarget } from '../pages/page.ts'
import { textsOf } from '../pages/texts.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** An authorization that waits for a person. */
export interface OpenInteraction {
  interaction: Interaction
  language: Language
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

/** True for the error of an authorization that is over or belongs to another browser. */
export const isOver = (error: unknown): boolean => error instanceof errors.SessionNotFound

/** A page or form of an open authorization; without `step` the page of whatever is due. */
export const stepUrl = ({ issuer }: Pick<OidcSettings, 'issuer'>, uid: string, step?: string): string =>
  `${issuer}/interaction/${uid}${step === undefined ? '' : `/${step}`}`

/** Where signing in leads in the end, as `form-action` must name it. */
export function formTargetsOf({ params }: Pick<Interaction, 'params'>): string[] {
  const target = formTarget(String(params.redirect_uri ?? ''))
  return target === undefined ? [] : [target]
}

/** The address a client suggests for the form of an authorization; no longer than an address may be. */
export const loginHintOf = ({ params }: Pick<Interaction, 'params'>): string =>
  String(params.login_hint ?? '').slice(0, 254)

/** The failure of a form another site has sent. */
export const sentByAnotherSite = (language: Language): Failure =>
  new Failure('ForbiddenError', textsOf(language).otherSite)
