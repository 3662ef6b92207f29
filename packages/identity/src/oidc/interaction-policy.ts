import { SECOND_MS } from '@platform/kernel'
import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { PersonAccount } from './account.ts'
import type { GrantSessions } from './grant-sessions.ts'

const { Check, base } = interactionPolicy

/** When somebody has to enter a password although their browser has been signed in before. */
export function policyOf(
  grantSessions: Pick<GrantSessions, 'isBrowserTrusted'>,
): interactionPolicy.DefaultPolicy {
  const policy = base()
  const login = policy.get('login')
  login?.checks.add(new Check('account_gone', 'the account does not exist any more', isAccountGone))
  login?.checks.add(
    new Check('account_changed', 'the account has changed since its password was entered', refuseOldSignIn),
  )
  login?.checks.add(
    new Check('signed_out', 'a session of this browser has ended', async ({ oidc }) => {
      const { session, result } = oidc
      if (session?.accountId === undefined || result?.login !== undefined) return Check.NO_NEED_TO_PROMPT
      const since = new Date((session.loginTs ?? 0) * 1000)
      return !(await grantSessions.isBrowserTrusted(session.uid, since))
    }),
  )
  return policy
}

const isAccountGone = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.session?.accountId !== undefined &&
  oidc.entities.Account === undefined &&
  oidc.result?.login === undefined

/** What a login leaves in the session of a browser. */
const LOGIN = ['accountId', 'loginTs', 'amr']

/**
 * A sign-in ends with what its password proved: whoever knew the old one could otherwise keep the address of its last
 * step and open it after the owner has set a new one, or be signed in by a check that was under way. Nobody stays
 * signed in by it.
 */
function refuseOldSignIn({ oidc }: KoaContextWithOIDC): boolean {
  const { result, session } = oidc
  const account = oidc.entities.Account as PersonAccount | undefined
  const isOld = result?.login !== undefined && isOutdated(result.login.account, account)
  if (!isOld && !isTooEarly(session?.loginTs, account)) return false
  delete result?.login
  if (session !== undefined) for (const name of LOGIN) Reflect.deleteProperty(session, name)
  return true
}

/** Who signed in elsewhere typed no password here: then only the account has to be there. */
function isOutdated(then: unknown, account: PersonAccount | undefined): boolean {
  if (account === undefined) return true
  return then !== undefined && then !== account.user.updatedAt.toISOString()
}

/** A browser that was signed in before the password was changed, or at that very moment. */
function isTooEarly(loginTs: number | undefined, account: PersonAccount | undefined): boolean {
  const from = account?.user.signInsValidFrom
  return from !== undefined && (loginTs ?? 0) * SECOND_MS < from.getTime()
}
