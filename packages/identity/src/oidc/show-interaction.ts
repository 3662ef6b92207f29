import { redirect, sendPage } from '../pages/page.ts'
import { consoleForm } from './console-form.ts'
import { type InteractionContext, interactionPage } from './interaction-page.ts'
import { loginHintOf } from './interactions.ts'
import { passwordPageOf } from './password-page.ts'
import type { ShowConsent } from './show-consent.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { type SignInStep, stepOf } from './sign-in-step.ts'
import { codePageOf, enrolPageOf, recoveryCodesPageOf } from './step-pages.ts'
import { AMR, replacing, toFinish } from './waiting-sign-in.ts'

type Needs = Pick<
  SignInNeeds,
  'provider' | 'settings' | 'signIn' | 'offers' | 'users' | 'secondFactors' | 'masterKeys' | 'clock'
>

/** GET /oidc/interaction/:uid — what is due: password, code or consent. */
export const showInteraction = (needs: Needs & { showConsent: ShowConsent }) =>
  interactionPage(needs, async (context) => {
    const { request, response, open } = context
    if (open.interaction.prompt.name === 'consent') return needs.showConsent(request, response, open)
    await showStep(needs, context, await stepOf(needs, open.interaction))
  })

/** GET /oidc/interaction/:uid/password — the sign-in form whatever is due, for another account. */
export const showPasswordForm = (needs: Needs) =>
  interactionPage(needs, (context) => showPassword(needs, context, false))

/** GET /oidc/interaction/:uid/recovery-code — the form for a recovery code where a code is due. */
export const showRecoveryCodeForm = (needs: Needs) =>
  interactionPage(needs, async (context) => {
    const { open, response } = context
    const due = await stepOf(needs, open.interaction)
    if (due.step !== 'code') return showStep(needs, context, due)
    sendPage(response, 200, codePageOf(needs, open, { user: due.user, kind: 'recovery' }))
  })

async function showStep(needs: Needs, context: InteractionContext, due: SignInStep): Promise<void> {
  const { request, response, open } = context
  switch (due.step) {
    case 'password': {
      const { uid, params } = open.interaction
      const provider = needs.offers.wantedProvider(uid, params)
      return provider === undefined ? showPassword(needs, context, due.stale) : redirect(response, provider)
    }
    case 'code': {
      const ownForm = consoleForm(needs, open.interaction, 'MissingMFA')
      if (ownForm !== undefined) return redirect(response, ownForm)
      return sendPage(response, 200, codePageOf(needs, open, { user: due.user, kind: 'authenticator' }))
    }
    case 'enrol':
      return sendPage(response, 200, await enrolPageOf(needs, open, due))
    case 'keepCodes':
      return sendPage(response, 200, recoveryCodesPageOf(needs, open, due))
    case 'finish': {
      const login = toFinish(due.waiting, AMR.password)
      return needs.provider().interactionFinished(request, response, login, replacing)
    }
  }
}

async function showPassword(
  needs: Needs,
  { response, open }: InteractionContext,
  stale: boolean,
): Promise<void> {
  const { interaction } = open
  const ownForm = consoleForm(needs, interaction, stale ? 'AuthenticationError' : undefined)
  if (ownForm !== undefined) return redirect(response, ownForm)
  const email = loginHintOf(interaction)
  const problem = stale ? ({ kind: 'stale' } as const) : undefined
  sendPage(response, 200, await passwordPageOf(needs, open, { email, remember: false }, problem))
}
