import { readConfig } from '@platform/config'
import { accountOffers } from './account-pages/account-offers.ts'
import { wireAccountPages } from './account-pages/wire-account-pages.ts'
import { usersEnv } from './accounts/first-start/users-env.ts'
import { wireSecondFactors } from './credentials/second-factors/wire-second-factors.ts'
import type { Part } from './identity-base.ts'
import { attemptLimits } from './oidc/attempt-limits.ts'
import { wireAuthProviders } from './oidc/external-providers/wire-auth-providers.ts'
import { knownDevices } from './oidc/known-devices.ts'
import { signInEnv } from './oidc/sign-in-env.ts'
import { type WiredOidc, wireOidc } from './oidc/wire-oidc.ts'
import type { Foundation, People } from './wire-people.ts'

/** The ways to sign in. */
export interface WiredSignIn {
  oidc: WiredOidc
  parts: Part[]
}

/**
 * The OIDC server and its pages, those about accounts among them; other OpenID providers; and codes after the
 * password.
 */
export function wireSignIn(foundation: Foundation, people: People): WiredSignIn {
  const { env, oidcSettings: settings } = foundation
  const { users, passwords, secondFactors, account } = people
  const { sessions } = people.callers
  const needs = { ...foundation, settings, users, passwords, secondFactors, sessions }
  const providers = wireAuthProviders({ ...needs, local: account.settings })
  const { external } = providers
  const oidc = wireOidc({
    ...needs,
    ...readConfig(signInEnv, env),
    limits: attemptLimits(foundation),
    devices: knownDevices({ secret: foundation.config.cookieSecret, secure: foundation.cookies.secure }),
    hasSample: readConfig(usersEnv, env).withSample,
    offers: { ...accountOffers(settings, account.settings), ...external.offers },
    external,
    accountPages: (server) =>
      wireAccountPages({
        ...{ ...needs, ...server },
        accounts: account.accounts,
        accountSettings: account.settings,
      }),
  })
  const { continueSignIn } = oidc.steps
  const factors = wireSecondFactors({ ...needs, continueSignIn })
  return { oidc, parts: [providers, oidc, factors] }
}
