import type { IncomingMessage, ServerResponse } from 'node:http'
import { type RateLimiter, requestState } from '@platform/http'
import type { Accounts, RequestContext } from '../accounts/accounts.ts'
import type { AccountSettings } from '../accounts/accounts-env.ts'
import type { OpenInteraction } from '../oidc/interactions.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import type { SignInNeeds } from '../oidc/sign-in-needs.ts'
import type { Language } from '../pages/language.ts'
import type { UserRecord } from '../users/user.ts'

/** Ends a sign-in whose person has just proven who they are; asks for whatever else the platform wants of them. */
export type FinishSignUp = (
  request: IncomingMessage,
  response: ServerResponse,
  open: OpenInteraction,
  user: UserRecord,
) => Promise<void>

/** What the pages about accounts are made of. */
export interface AccountPagesNeeds {
  accounts: Accounts
  provider: SignInNeeds['provider']
  settings: OidcSettings
  /** The limits are the very ones of the API. */
  rateLimiter: RateLimiter
  accountSettings: Pick<AccountSettings, 'localSignUp'>
  finishSignUp: FinishSignUp
}

/** A request for a page, and in which language it is answered. */
export interface PageContext {
  request: IncomingMessage
  response: ServerResponse
  language: Language
  /** The sign-in the page belongs to; undefined for pages opened by a mailed link. */
  open: OpenInteraction | undefined
}

/** Who asks, as accounts want to know it. */
export function requestContextOf(
  { request, language, open }: PageContext,
  interaction?: string,
): RequestContext {
  const { clientIp: ip, correlationId } = requestState(request)
  return { ip, correlationId, language, interaction: open?.interaction.uid ?? interaction }
}
