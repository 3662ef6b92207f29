import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { SignIns } from './sign-ins.ts'

const { Check, base } = interactionPolicy

/** When somebody has to enter a password although their browser has been signed in before. */
export function policyOf(signIns: Pick<SignIns, 'isBrowserTrusted'>): interactionPolicy.DefaultPolicy {
  const policy = base()
  const login = policy.get('login')
  login?.checks.add(new Check('account_gone', 'the account does not exist any more', isAccountGone))
  login?.checks.add(
    new Check('signed_out', 'a session of this browser has ended', async ({ oidc }) => {
      const { session, result } = oidc
      if (session?.accountId === undefined || result?.login !== undefined) return Check.NO_NEED_TO_PROMPT
      const since = new Date((session.loginTs ?? 0) * 1000)
      return !(await signIns.isBrowserTrusted(session.uid, since))
    }),
  )
  return policy
}

const isAccountGone = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.session?.accountId !== undefined &&
  oidc.entities.Account === undefined &&
  oidc.result?.login === undefined
