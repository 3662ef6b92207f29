import type { Clock } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Provider } from 'oidc-provider'
import type { SignInLog } from '../audit/sign-in-log.ts'
import type { Passwords } from '../credentials/passwords/passwords.ts'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import type { Language } from '../pages/language.ts'
import type { Page } from '../pages/page.ts'
import type { PageLink, ProviderButton } from '../pages/sign-in-page.ts'
import type { UserRecord } from '../users/user.ts'
import type { AttemptLimits } from './attempt-limits.ts'
import type { KnownDevices } from './known-devices.ts'
import type { SignInSettings } from './oidc-env.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** What other parts offer on the sign-in page. */
export interface SignInOffers {
  /** "Create an account" and the like. */
  links(uid: string, language: Language): readonly PageLink[]
  /** Who else may say who somebody is. */
  providers(uid: string, language: Language): Promise<readonly ProviderButton[]>
  /** Where an authorization goes at once that asks for one of them in `acr_values`. */
  wantedProvider(uid: string, params: Readonly<Record<string, unknown>>): string | undefined
  /** Leads to the provider of the domain of an address; undefined where there is none. */
  elsewhere(uid: string, email: string, language: Language): Promise<Page | undefined>
  /** What a new account waits for: its owner to answer a mail, or an administrator. */
  validatedBy: 'mail' | 'administrator'
  /** Where that mail is asked for again. */
  validationUrl(uid: string): string | undefined
}

/** What the steps of a sign-in are made of. */
export interface SignInNeeds {
  provider: () => Provider
  settings: OidcSettings
  signIn: SignInSettings
  offers: SignInOffers
  users: { find(id: string): Promise<UserRecord | undefined> }
  passwords: Pick<Passwords, 'check'>
  limits: AttemptLimits
  /** Browsers that were signed in before. */
  devices: KnownDevices
  secondFactors: Pick<SecondFactors, 'needOf' | 'check' | 'begin' | 'pending' | 'confirm'>
  signInLog: Pick<SignInLog, 'failed'>
  /** Seals recovery codes until they are read. */
  masterKeys: MasterKeyRing
  clock: Clock
}
