import { redirect, sendPage } from '../pages/page.ts'
import { interactionForm } from './interaction-page.ts'
import { stepUrl } from './interactions.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { stepOf } from './sign-in-step.ts'
import { recoveryCodesPageOf } from './step-pages.ts'
import { AMR, replacing, toFinish } from './waiting-sign-in.ts'

type Needs = Pick<SignInNeeds, 'provider' | 'settings' | 'users' | 'secondFactors' | 'masterKeys' | 'clock'>

/** POST /oidc/interaction/:uid/recovery-codes — the codes are kept, the sign-in ends. */
export const keepRecoveryCodes = (needs: Needs) =>
  interactionForm(needs, async ({ request, response, open }, form) => {
    const due = await stepOf(needs, open.interaction)
    if (due.step !== 'keepCodes') return redirect(response, stepUrl(needs.settings, open.interaction.uid))
    if (form.get('kept') !== 'true')
      return sendPage(response, 400, recoveryCodesPageOf(needs, open, { codes: due.codes, notKept: true }))

    const login = toFinish(due.waiting, AMR.passwordAndCode)
    await needs.provider().interactionFinished(request, response, login, replacing)
  })
