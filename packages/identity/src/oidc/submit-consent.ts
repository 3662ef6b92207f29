import { Failure } from '@platform/kernel'
import type { InteractionResults, Provider } from 'oidc-provider'
import type { ConsentStore } from './consent-store.ts'
import { interactionForm } from './interaction-page.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { type OpenConsent, openConsent } from './show-consent.ts'

interface Needs {
  provider: () => Provider
  settings: OidcSettings
  consents: Pick<ConsentStore, 'add'>
}

/** POST /oidc/interaction/:uid/consent — keeps what was allowed and goes on, or tells the client that it was not. */
export const submitConsent = ({ consents, ...needs }: Needs) =>
  interactionForm(needs, async ({ request, response, open }, form) => {
    const provider = needs.provider()
    const consent = await openConsent(provider, open.interaction)

    const result = await decide(form.get('decision'), consent, consents)

    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
  })

async function decide(
  decision: string | null,
  { client, accountId, asked, place }: OpenConsent,
  consents: Needs['consents'],
): Promise<InteractionResults> {
  if (decision === 'deny')
    return { error: 'access_denied', error_description: 'The person has not allowed it.' }
  if (decision !== 'allow')
    throw new Failure('RequestValidationError', 'The form must say `decision`: allow or deny.')
  const parties = { accountId, clientId: client.clientId, place }
  await consents.add(parties, [...asked.personal, ...asked.rights])
  return { consent: {} }
}
