import type { Interaction } from 'oidc-provider'
import type { Page } from '../pages/page.ts'
import { type SignInProblem, signInPage } from '../pages/sign-in-page.ts'
import { GATEWAY_CLIENT_ID } from './clients.ts'
import { formTargetsOf, type OpenInteraction, stepUrl } from './interactions.ts'
import type { SignInNeeds } from './sign-in-needs.ts'

/** What the person has typed so far. */
export interface TypedCredentials {
  email: string
  remember: boolean
}

/** Asks for e-mail address and password, and shows the other ways in. */
export async function passwordPageOf(
  needs: Pick<SignInNeeds, 'provider' | 'settings' | 'signIn' | 'offers'>,
  { interaction, language }: OpenInteraction,
  typed: TypedCredentials,
  problem?: SignInProblem,
): Promise<Page> {
  const { settings, signIn, offers } = needs
  const { uid } = interaction
  return signInPage({
    language,
    action: stepUrl(settings, uid, 'login'),
    formTargets: formTargetsOf(interaction),
    host: new URL(settings.origin).host,
    client: await clientNameOf(needs, interaction),
    ...typed,
    withPassword: signIn.withPassword,
    providers: await offers.providers(uid, language),
    links: offers.links(uid, language),
    ...(problem === undefined ? {} : { problem }),
  })
}

/** The name of the client somebody signs in to; undefined for the gateway itself. */
export async function clientNameOf(
  { provider }: Pick<SignInNeeds, 'provider'>,
  { params }: Pick<Interaction, 'params'>,
): Promise<string | undefined> {
  const client = await provider().Client.find(String(params.client_id))
  return client?.clientId === GATEWAY_CLIENT_ID ? undefined : client?.clientName
}
