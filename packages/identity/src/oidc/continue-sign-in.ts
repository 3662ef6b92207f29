import { Failure } from '@platform/kernel'
import type { CodeCheck } from '../credentials/second-factors/second-factors.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { stepOf } from './sign-in-step.ts'
import { AMR, toFinish } from './waiting-sign-in.ts'

interface AttemptContext {
  ip: string
  correlationId: string
}

/** Finishes a sign-in for a console that brings its own form. Throws MissingMFA unless a password was right before. */
export type ContinueSignIn = (
  uid: string,
  code: string,
  context: AttemptContext,
) => Promise<{ url: string } | Exclude<CodeCheck, 'right'>>

/** The browser that began the sign-in has to go on with it: it alone holds the cookie that `url` asks for. */
export const continueSignIn =
  (needs: Pick<SignInNeeds, 'provider' | 'users' | 'secondFactors' | 'clock'>): ContinueSignIn =>
  async (uid, code, context) => {
    const interaction = await needs.provider().Interaction.find(uid)
    const due = interaction && (await stepOf(needs, interaction))
    if (interaction === undefined || due?.step !== 'code') throw missing()

    const check = await needs.secondFactors.check(due.user, code, context)
    if (check !== 'right') return check

    interaction.result = toFinish(due.waiting, AMR.passwordAndCode)
    await interaction.persist()
    return { url: interaction.returnTo }
  }

const missing = () =>
  new Failure(
    'MissingMFA',
    'No sign-in waits for a code here: send e-mail address and password first, or start the sign-in again.',
  )
