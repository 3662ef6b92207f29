import { type CodeProblem, codePage } from '../pages/code-page.ts'
import { enrolPage } from '../pages/enrol-page.ts'
import type { Page } from '../pages/page.ts'
import { recoveryCodesPage } from '../pages/recovery-codes-page.ts'
import type { UserRecord } from '../users/user.ts'
import { formTargetsOf, type OpenInteraction, stepUrl } from './interactions.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { recoveryCodesContext } from './waiting-sign-in.ts'

type CodeKind = Parameters<typeof codePage>[0]['kind']

/** Asks for a code of the authenticator, or for a recovery code. */
export function codePageOf(
  { settings }: Pick<SignInNeeds, 'settings'>,
  open: OpenInteraction,
  { user, kind, problem }: { user: UserRecord; kind: CodeKind; problem?: CodeProblem | undefined },
): Page {
  const { uid } = open.interaction
  return codePage({
    ...frameOf({ settings }, open, 'code'),
    kind,
    email: user.email,
    otherKindUrl: stepUrl(settings, uid, kind === 'recovery' ? undefined : 'recovery-code'),
    backUrl: stepUrl(settings, uid, 'password'),
    problem,
  })
}

/** Asks to set an authenticator up: the one that was begun when the password was right. */
export async function enrolPageOf(
  { settings, secondFactors }: Pick<SignInNeeds, 'settings' | 'secondFactors'>,
  open: OpenInteraction,
  { user, problem }: { user: UserRecord; problem?: CodeProblem | undefined },
): Promise<Page> {
  const { secret, qrImage } = (await secondFactors.pending(user.id)) ?? (await secondFactors.begin(user))
  return enrolPage({
    ...frameOf({ settings }, open, 'code'),
    email: user.email,
    secret,
    qrImage,
    backUrl: stepUrl(settings, open.interaction.uid, 'password'),
    problem,
  })
}

/** Shows the recovery codes of an enrolment until they are kept. */
export function recoveryCodesPageOf(
  { settings, masterKeys }: Pick<SignInNeeds, 'settings' | 'masterKeys'>,
  open: OpenInteraction,
  { codes, notKept }: { codes: string; notKept?: boolean },
): Page {
  const opened = masterKeys.open(codes, recoveryCodesContext(open.interaction.uid))
  return recoveryCodesPage({
    ...frameOf({ settings }, open, 'recovery-codes'),
    codes: opened.split(' '),
    ...(notKept === undefined ? {} : { notKept }),
  })
}

const frameOf = (
  { settings }: Pick<SignInNeeds, 'settings'>,
  { interaction, language }: OpenInteraction,
  step: string,
) => ({
  language,
  action: stepUrl(settings, interaction.uid, step),
  formTargets: formTargetsOf(interaction),
})
