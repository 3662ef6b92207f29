import { sentByAnotherSite } from '../oidc/interactions.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import { isSameOrigin, readForm } from '../pages/read-form.ts'
import type { PageContext } from './account-pages.ts'

/**
 * The fields of a form of these pages. Rejects with ForbiddenError when another site has sent it.
 *
 * Pages with a secret in their address send no referrer, and of those browsers send forms with `Origin: null`. Then
 * the browser's word on the site counts; an old one that gives none may pass, for such a form proves itself: it holds
 * the secret of a mail.
 */
export async function readAccountForm(
  { request, language, open }: PageContext,
  settings: OidcSettings,
): Promise<URLSearchParams> {
  const { origin, ...others } = request.headers
  const said = origin === 'null' && open === undefined ? others : request.headers
  if (!isSameOrigin(said, [settings.origin])) throw sentByAnotherSite(language)
  return readForm(request)
}
