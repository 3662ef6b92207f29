import { stepUrl } from '../oidc/interactions.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'

/** Path the pages of mailed links are mounted at. */
export const ACCOUNT_PATH = '/account'

/** What an interaction's id may look like; anything else was made up. */
const UID = /^[A-Za-z0-9_-]{1,100}$/

/** A page of an account that needs no sign-in under way. */
export const accountUrl = (
  settings: Pick<OidcSettings, 'origin'>,
  page: 'password' | 'validate' | 'deletion',
) => `${settings.origin}${ACCOUNT_PATH}/${page}`

/** Where somebody signs in now: the sign-in they came from, when it is still open in this browser, else a new one. */
export const signInUrl = (settings: OidcSettings, uid: string | undefined): string =>
  uid === undefined ? `${settings.origin}/signin` : stepUrl(settings, uid, 'continue')

/** The interaction a form or a mail names, when it can be one. */
export const interactionNamed = (given: string | null | undefined): string | undefined =>
  typeof given === 'string' && UID.test(given) ? given : undefined
