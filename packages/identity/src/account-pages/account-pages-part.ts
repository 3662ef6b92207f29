import type { Mount } from '@platform/http'
import { interactionPage } from '../oidc/interaction-page.ts'
import type { OpenInteraction } from '../oidc/interactions.ts'
import type { InteractionListener, Interactions } from '../oidc/oidc-listener.ts'
import { ACCOUNT_PATH } from './account-addresses.ts'
import { accountListener } from './account-listener.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { showLinkForm, submitLinkForm } from './mailed-link.ts'
import { readAccountForm } from './read-account-form.ts'
import { returnToSignIn } from './return-to-sign-in.ts'
import { showSignUp, submitSignUp } from './sign-up.ts'

/** The pages about accounts. */
export interface OpenAccountPages {
  /** Those of a sign-in that is under way. */
  interactions: Interactions
  /** Those mailed links lead to. */
  mounts: Mount[]
}

export function openAccountPages(needs: AccountPagesNeeds): OpenAccountPages {
  return {
    interactions: {
      signup: { GET: inSignIn(needs, showSignUp(needs)), POST: inSignIn(needs, submitSignUp(needs)) },
      forgot: {
        GET: inSignIn(needs, async (context) =>
          showLinkForm(needs, context, 'password', new URLSearchParams()),
        ),
        POST: inSignIn(needs, async (context) =>
          submitLinkForm(needs, context, 'password', await readAccountForm(context, needs.settings)),
        ),
      },
      continue: { GET: returnToSignIn(needs) },
    },
    mounts: [{ path: ACCOUNT_PATH, listener: accountListener(needs) }],
  }
}

/** The page of an authorization, as pages about accounts are visited. */
const inSignIn = (
  needs: AccountPagesNeeds,
  show: (context: PageContext & { open: OpenInteraction }) => Promise<void>,
): InteractionListener =>
  interactionPage(needs, (context) => show({ ...context, language: context.open.language }))
