import { afterPassword } from './after-password.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { keepRecoveryCodes } from './keep-recovery-codes.ts'
import type { Interactions } from './oidc-listener.ts'
import type { ShowConsent } from './show-consent.ts'
import { showInteraction, showPasswordForm, showRecoveryCodeForm } from './show-interaction.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { submitCode } from './submit-code.ts'
import { submitPassword } from './submit-password.ts'

/** The steps of signing in with a password: their pages and forms, and what other parts go on with. */
export const signInPages = (needs: SignInNeeds & { showConsent: ShowConsent }) => ({
  interactions: {
    '': { GET: showInteraction(needs) },
    login: { POST: submitPassword(needs) },
    password: { GET: showPasswordForm(needs) },
    code: { POST: submitCode(needs) },
    'recovery-code': { GET: showRecoveryCodeForm(needs) },
    'recovery-codes': { POST: keepRecoveryCodes(needs) },
  } satisfies Interactions,
  continueSignIn: continueSignIn(needs),
  afterPassword: afterPassword(needs),
})
