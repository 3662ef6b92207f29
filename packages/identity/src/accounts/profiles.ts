import { Failure } from '@platform/kernel'
import type { UserRecord } from '../users/user.ts'
import type { UserChanges, UserEdit } from '../users/user-changes-store.ts'
import type { RequireState } from '../users/user-etag.ts'
import type { AccountParts } from './account-parts.ts'

/** Most keys and characters of the free data of an account. */
const META_KEYS = 100
const META_CHARACTERS = 100_000

/** What people change of their own account without more ado; each asks the caller about the state it finds. */
export interface Profiles {
  edit(userId: string, edit: UserEdit, requireState: RequireState): Promise<UserRecord>
  mergeMeta(
    userId: string,
    meta: Record<string, unknown>,
    requireState: RequireState,
  ): Promise<Record<string, unknown>>
  /** Undefined when there was no such key. */
  deleteMeta(
    userId: string,
    key: string,
    requireState: RequireState,
  ): Promise<Record<string, unknown> | undefined>
}

export function profiles(parts: Pick<AccountParts, 'database' | 'users' | 'forgetPhoto'>): Profiles {
  const edit = (userId: string, requireState: RequireState, editOf: EditOf) =>
    parts.database.transaction((tx) =>
      editLocked(parts.users.changes(tx), userId, (user) => {
        requireState(user)
        return editOf(user)
      }),
    )
  return {
    async edit(userId, wanted, requireState) {
      if (wanted.meta !== undefined) requireMeta(wanted.meta)
      const { before, after } = await edit(userId, requireState, () => wanted)
      if (before.photo !== after.photo) await parts.forgetPhoto?.(before)
      return after
    },
    async mergeMeta(userId, meta, requireState) {
      const { after } = await edit(userId, requireState, (user) => ({
        meta: requireMeta({ ...user.meta, ...meta }),
      }))
      return after.meta
    },
    async deleteMeta(userId, key, requireState) {
      const { before, after } = await edit(userId, requireState, ({ meta }) => ({
        meta: without(meta, key),
      }))
      return Object.hasOwn(before.meta, key) ? after.meta : undefined
    },
  }
}

type EditOf = (user: UserRecord) => UserEdit

/** Locked, so that of two edits at once neither is lost. */
async function editLocked(changes: UserChanges, userId: string, editOf: EditOf) {
  const [before] = await changes.lock({ ids: [userId] })
  if (before === undefined) throw gone()
  const edited = await changes.edit([userId], editOf(before))
  return { before, after: edited === 'taken' ? before : (edited[0] ?? before) }
}

/** Throws RequestValidationError for more than an account keeps. */
export function requireMeta(meta: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(meta).length <= META_KEYS && JSON.stringify(meta).length <= META_CHARACTERS) return meta
  throw new Failure(
    'RequestValidationError',
    `The meta of an account may have ${META_KEYS} keys and ${META_CHARACTERS} characters: keep less with it.`,
  )
}

const without = (meta: Record<string, unknown>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(meta).filter(([name]) => name !== key))

const gone = (): Failure =>
  new Failure('AuthenticationError', 'The account of this session is gone: sign in again.')
