import { requestState } from '@platform/http'
import type { RequestContext } from '../accounts/accounts.ts'
import type { PageContext } from './account-pages.ts'

/** Who asks, as accounts want to know it. */
export function requestContextOf(
  { request, language, open }: PageContext,
  interaction?: string,
): RequestContext {
  const { clientIp: ip, correlationId } = requestState(request)
  return { ip, correlationId, language, interaction: open?.interaction.uid ?? interaction }
}
