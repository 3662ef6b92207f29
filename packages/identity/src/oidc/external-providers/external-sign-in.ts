import { isEmail } from '../../users/user.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import type { SignInOffers } from '../sign-in-needs.ts'
import { elsewherePage, nameOf } from './external-pages.ts'
import type { FinishedSignIn, PendingSignInStore } from './pending-sign-in-store.ts'
import type { Providers } from './providers.ts'

/** What the pages of an authorization ask about other providers. */
export interface ExternalSignIn {
  /** `acr_values=idp:<slug>` asks for a provider. */
  offers: Pick<SignInOffers, 'providers' | 'wantedProvider' | 'elsewhere'>
  /** Who has come back with a ticket: once, and to this authorization only. */
  takeTicket(ticket: string, interactionUid: string): Promise<FinishedSignIn | undefined>
}

interface Needs {
  providers: Providers
  logins: Pick<PendingSignInStore, 'takeTicket'>
  settings: Pick<OidcSettings, 'apiUrl'>
  clock: { now(): Date }
}

const WANTED = /^idp:([a-z0-9][a-z0-9-]{0,59})$/

export function externalSignIn({ providers, logins, settings, clock }: Needs): ExternalSignIn {
  const urlOf = (slug: string, interaction: string, email?: string): string => {
    // The provider is told the address, so that nobody has to type it again.
    const known = email === undefined ? {} : { domain: email }
    return `${settings.apiUrl}/login?${new URLSearchParams({ provider: slug, ...known, interaction })}`
  }
  return {
    offers: {
      providers: async (uid) =>
        providers.ofPlatform
          .filter(({ enabled }) => enabled)
          .map((provider) => ({ name: nameOf(provider), url: urlOf(provider.slug, uid) })),

      wantedProvider(uid, { acr_values: acrValues, login_hint: hint }) {
        const values = typeof acrValues === 'string' ? acrValues.split(' ') : []
        const slug = values.map((value) => WANTED.exec(value)?.[1]).find((found) => found !== undefined)
        const email = typeof hint === 'string' && isEmail(hint) ? hint : undefined
        return slug === undefined ? undefined : urlOf(slug, uid, email)
      },

      async elsewhere(uid, email, language) {
        const provider = isEmail(email) ? await providers.findByDomain(email) : undefined
        return provider && elsewherePage(language, provider, urlOf(provider.slug, uid, email))
      },
    },
    takeTicket: (ticket, uid) => logins.takeTicket(ticket, uid, clock.now()),
  }
}
