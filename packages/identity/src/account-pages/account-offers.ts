import type { AccountSettings } from '../accounts/accounts-env.ts'
import { stepUrl } from '../oidc/interactions.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'
import type { SignInOffers } from '../oidc/sign-in-needs.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { accountUrl } from './account-addresses.ts'

/** What the sign-in page leads to: a new account, a new password, and the mail that confirms an address. */
export const accountOffers = (
  settings: OidcSettings,
  {
    localSignIn,
    localSignUp,
    validation,
  }: Pick<AccountSettings, 'localSignIn' | 'localSignUp' | 'validation'>,
): Pick<SignInOffers, 'links' | 'validatedBy' | 'validationUrl'> => ({
  links(uid, language) {
    const { createAccount, forgotten } = accountTextsOf(language)
    return [
      ...(localSignIn ? [{ text: forgotten, url: stepUrl(settings, uid, 'forgot') }] : []),
      ...(localSignUp ? [{ text: createAccount, url: stepUrl(settings, uid, 'signup') }] : []),
    ]
  },
  validatedBy: validation === 'manual' ? 'administrator' : 'mail',
  validationUrl: (uid) => `${accountUrl(settings, 'validate')}?interaction=${uid}`,
})
