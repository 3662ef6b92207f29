import { requestState } from '@platform/http'
import type { Visit } from '../accounts/accounts.ts'
import type { PageVisit } from './account-pages.ts'

/** Who asks, as accounts want to know it. */
export function visitOf({ request, language, open }: PageVisit, interaction?: string): Visit {
  const { clientIp: ip, correlationId } = requestState(request)
  return { ip, correlationId, language, interaction: open?.interaction.uid ?? interaction }
}
