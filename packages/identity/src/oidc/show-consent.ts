import type { IncomingMessage, ServerResponse } from 'node:http'
import { Failure } from '@platform/kernel'
import { type Client, errors, type Interaction, type Provider } from 'oidc-provider'
import { consentPage } from '../pages/consent-page.ts'
import { formTarget, sendPage } from '../pages/page.ts'
import { displayName, type UserRecord } from '../users/user.ts'
import { isFirstParty } from './client-rights.ts'
import { type Asked, addressShown, askedFor } from './consent.ts'
import type { OpenInteraction } from './interactions.ts'
import type { OidcSettings } from './oidc-settings.ts'

interface Needs {
  provider: () => Provider
  settings: OidcSettings
  users: { find(id: string): Promise<UserRecord | undefined> }
}

/** What an open authorization asks a person to agree to. */
export interface OpenConsent {
  client: Client
  accountId: string
  asked: Asked
  place: string
}

/** The page of an authorization that waits for consent. */
export type ShowConsent = (
  request: IncomingMessage,
  response: ServerResponse,
  open: OpenInteraction,
) => Promise<void>

/** GET /oidc/interaction/:uid where consent is missing — the page that asks; clients of the platform go straight on. */
export const showConsent =
  ({ provider, settings, users }: Needs): ShowConsent =>
  async (request, response, open) => {
    const consent = await openConsent(provider(), open.interaction)
    if (isFirstParty(consent.client)) {
      const result = { consent: {} }
      await provider().interactionFinished(request, response, result, { mergeWithLastSubmission: true })
      return
    }

    const user = await users.find(consent.accountId)
    if (user === undefined) throw new errors.SessionNotFound('the account does not exist any more')

    sendPage(response, 200, pageOf(consent, user, open, settings))
  }

/** Rejects with SessionNotFound when nobody is asked for consent. */
export async function openConsent(
  provider: Provider,
  { params, prompt, session }: Interaction,
): Promise<OpenConsent> {
  const client = await provider.Client.find(String(params.client_id))
  const accountId = session?.accountId
  if (client === undefined || accountId === undefined || prompt.name !== 'consent')
    throw new errors.SessionNotFound('no consent is asked for')
  return {
    client,
    accountId,
    asked: askedFor(client, params.scope),
    place: addressShown(params.redirect_uri),
  }
}

function pageOf(
  { client, asked, place }: OpenConsent,
  user: UserRecord,
  { interaction, language }: OpenInteraction,
  settings: OidcSettings,
) {
  const target = formTarget(String(interaction.params.redirect_uri ?? ''))
  if (target === undefined)
    throw new Failure('RequestValidationError', 'The request names no address to go back to.')
  return consentPage({
    language,
    action: `${settings.issuer}/interaction/${interaction.uid}/consent`,
    formTargets: [target],
    host: new URL(settings.origin).host,
    client: client.clientName ?? client.clientId,
    place: client.applicationType === 'native' ? undefined : place,
    account: user.email ?? displayName(user),
    scopes: [...asked.personal, ...asked.rights],
  })
}
