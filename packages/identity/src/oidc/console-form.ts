import type { Interaction } from 'oidc-provider'
import { GATEWAY_CLIENT_ID } from './clients.ts'
import type { SignInNeeds } from './sign-in-needs.ts'

/** What a console's own form is told in `error`. */
export type ConsoleFormError =
  | 'AuthenticationError'
  | 'ValidateEmailError'
  | 'ManualValidateEmailError'
  | 'MissingMFA'
  | 'TooManyRequests'
  | 'ServiceUnavailable'

/**
 * The form of a console that brings its own, for this interaction; undefined where the gateway's page is shown:
 * without LOGIN_URL, and for signing in to the gateway itself, which has to work without a console.
 */
export function consoleForm(
  { signIn }: Pick<SignInNeeds, 'signIn'>,
  { uid, params }: Pick<Interaction, 'uid' | 'params'>,
  error?: ConsoleFormError,
): string | undefined {
  if (signIn.loginUrl === undefined || params.client_id === GATEWAY_CLIENT_ID) return undefined
  const url = new URL(signIn.loginUrl)
  url.searchParams.set('interaction', uid)
  if (error !== undefined) url.searchParams.set('error', error)
  return url.href
}

/**
 * Whose pages may send the form of e-mail address and password: the gateway's, and those of consoles that bring their
 * own.
 */
export function formOrigins({ settings, signIn }: Pick<SignInNeeds, 'settings' | 'signIn'>): string[] {
  const consoles = signIn.loginUrl === undefined ? [] : [signIn.loginUrl, ...settings.consoleUrls]
  return [settings.origin, ...consoles.map((url) => new URL(url).origin)]
}
