import type { AuditEntry } from '@platform/audit'
import { accountHolder, admit, type Principal } from '@platform/auth'
import type { UserPatch } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { Failure } from '@platform/kernel'
import { lastSuperAdmin } from '../accounts/account-deletion.ts'
import { type AccountParts, endingsOf, traceOf } from '../accounts/account-parts.ts'
import type { RequestContext } from '../accounts/accounts.ts'
import { requireMeta } from '../accounts/profiles.ts'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import { requirePlainAddress, type UserRecord } from '../users/user.ts'
import type { UserChanges } from '../users/user-changes-store.ts'
import type { RequireState } from '../users/user-etag.ts'

export interface EditParts extends AccountParts {
  secondFactors: Pick<SecondFactors, 'remove'>
}

/** Who edits, through what. */
export interface Editor {
  actor: string
  context: RequestContext
  /** Asked of each account once it is locked. */
  requireState?: RequireState
}

export interface Edited {
  /** Those that were found. */
  before: UserRecord[]
  after: UserRecord[]
  /** What every instance has to forget, after the commit. */
  ids: string[]
  audit: AuditEntry[]
}

type Which = Parameters<UserChanges['lock']>[0]

/**
 * Edits accounts inside one transaction, all or none; the caller adds its event, then the audit rows. Throws
 * AlreadyUsed for an address somebody has, ForbiddenError when nobody would be left to administer the platform.
 */
export async function editUsers(
  parts: EditParts,
  tx: Queries,
  which: Which,
  patch: UserPatch,
  editor: Editor,
): Promise<Edited> {
  const changes = parts.users.changes(tx)
  const { mfa: _, ...edit } = patch
  if (edit.meta !== undefined) requireMeta(edit.meta)
  if (edit.email !== undefined) requirePlainAddress(edit.email)
  if (mayDisarm(patch)) await changes.lockSuperAdmins()
  // Visitors have no account to administer.
  const before = (await changes.lock(which)).filter(({ email }) => email !== undefined)
  for (const user of before) editor.requireState?.(user)
  const edited = await changes.edit(
    before.map(({ id }) => id),
    edit,
  )
  if (edited === 'taken')
    throw new Failure('AlreadyUsed', 'Another account has this e-mail address: choose another one.')
  await requireAdministrators(changes, before, edited, patch)
  return { before, after: edited, ...(await endRights(parts, tx, { before, after: edited, patch }, editor)) }
}

/** True for what could take the last super administrator away. */
const mayDisarm = ({ status, platformRole, email }: UserPatch): boolean =>
  (status !== undefined && status !== 'validated') || platformRole === null || email !== undefined

async function requireAdministrators(
  changes: UserChanges,
  before: readonly UserRecord[],
  after: readonly UserRecord[],
  patch: UserPatch,
): Promise<void> {
  if (patch.platformRole === null && after.some(({ platformRole }) => platformRole === 'superAdmin'))
    throw new Failure(
      'ForbiddenError',
      'SUPER_ADMIN_EMAILS makes this account a super administrator: take its address out of there.',
    )
  const were = before.some(({ platformRole }) => platformRole === 'superAdmin')
  if (were && mayDisarm(patch) && !(await changes.hasSuperAdmin())) throw lastSuperAdmin()
}

interface Change {
  before: readonly UserRecord[]
  after: readonly UserRecord[]
  patch: UserPatch
}

/** Sessions end with the right to them, and with what they were started as. */
async function endRights(parts: EditParts, tx: Queries, { before, after, patch }: Change, editor: Editor) {
  const access = parts.accessIn(tx)
  const everybody = after.map(({ id }) => id)
  const trace = (userId: string) => traceOf(editor.context, editor.actor, userId)
  const known = new Map(before.map((user) => [user.id, user]))
  const was = (user: UserRecord) => known.get(user.id) ?? user
  const noted = after.flatMap((user) =>
    changesOf(was(user), user, patch).map((entry) => ({ ...entry, ...trace(user.id) })),
  )
  const losers = after.filter((user) => losesRights(was(user), user))
  if (patch.email !== undefined) await parts.tokensIn(tx).removeOf(everybody)
  const ended = await access.endSessions(losers.map(({ id }) => id))
  const changed = await access.forgetUsers(everybody)
  return {
    ids: [...changed, ...ended.map(({ sessionId }) => sessionId)],
    audit: [...noted, ...ended.flatMap((one) => endingsOf([one], trace(one.userId), 'accountChanged'))],
  }
}

const losesRights = (was: UserRecord, is: UserRecord): boolean =>
  (was.status === 'validated' && is.status !== 'validated') || was.platformRole !== is.platformRole

type Noted = Pick<AuditEntry, 'action' | 'details'>

/** What an edit is called in the audit trail; values only where they say who may do what. */
function changesOf(was: UserRecord, is: UserRecord, patch: UserPatch): Noted[] {
  const notes: Noted[] = []
  if (was.platformRole !== is.platformRole)
    notes.push({
      action: 'account.roleChanged',
      details: { from: was.platformRole ?? null, to: is.platformRole ?? null },
    })
  if (was.status !== 'deactivated' && is.status === 'deactivated')
    notes.push({ action: 'account.deactivated', details: {} })
  if (was.status !== 'validated' && is.status === 'validated')
    notes.push({ action: 'account.validated', details: { by: 'administrator', from: was.status } })
  const fields = Object.keys(patch).filter((name) => name !== 'platformRole' && name !== 'mfa')
  const rest = fields.filter((name) => name !== 'status')
  if (rest.length > 0) notes.push({ action: 'account.updated', details: { fields: rest } })
  return notes
}

/**
 * Who administers accounts, as the audit trail names them: a super administrator with an account, or the internal key.
 * Throws AuthenticationError and ForbiddenError for everybody else.
 */
export function administratorOf(principal: Principal | undefined): string {
  const admitted = admit({ credential: 'required', caller: 'superAdmin' }, principal)
  return admitted.kind === 'internal' ? 'platform' : `user:${accountHolder(admitted).userId}`
}
