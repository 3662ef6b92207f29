import { isUniqueViolation, join, type Queries, type Sql, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { normalizeEmail, type UserRecord } from './user.ts'
import {
  endSignInsUnderWay,
  firstRecord,
  firstUser,
  isSuperAdmin,
  toRecord,
  type UserRow,
  userColumns,
} from './user-row-store.ts'

/** Changes of accounts inside one transaction. */
export type UserChanges = ReturnType<typeof userChanges>

export interface NewAccount {
  email: string
  passwordHash: string
  firstName: string
  lastName: string
  language: string | undefined
  status: 'pending' | 'validated'
}

/** What is to change; null takes a value away, what is not named stays. */
export interface UserEdit {
  email?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  language?: string | null | undefined
  photo?: string | null | undefined
  meta?: Record<string, unknown> | undefined
  status?: UserRecord['status'] | undefined
  platformRole?: 'superAdmin' | null | undefined
  passwordHash?: string | undefined
  /** A mail to the address was answered. */
  emailAnswered?: true | undefined
}

export const userChanges = (tx: Queries, superAdminEmails: readonly string[]) => {
  const columns = userColumns(superAdminEmails)
  return {
    /** Undefined when the address has an account. */
    insert: ({ email, passwordHash, ...account }: NewAccount): Promise<UserRecord | undefined> =>
      firstUser(
        tx,
        sql`
          insert into gateway.users (id, email, password_hash, first_name, last_name, language, status, auth_data)
          values (${uuidv7()}, ${normalizeEmail(email)}, ${passwordHash}, ${account.firstName}, ${account.lastName},
            ${account.language ?? null}, ${account.status}, '{"prismeai": {}}')
          on conflict do nothing returning ${columns}`,
      ),

    findByEmail: (email: string) =>
      firstRecord(tx, sql`select ${columns} from gateway.users where email = ${normalizeEmail(email)}`),

    /** Nobody else changes these accounts until the transaction ends. By id, in the order of their ids. */
    async lock(by: { ids: readonly string[] } | { emails: readonly string[] }): Promise<UserRecord[]> {
      const which =
        'ids' in by
          ? sql`id = any(${[...by.ids]}::text[])`
          : sql`email = any(${by.emails.map(normalizeEmail)}::text[])`
      const rows = await tx.many<UserRow>(
        sql`select ${columns} from gateway.users where ${which} order by id for update`,
      )
      return rows.map((row) => toRecord(row).user)
    },

    /** Answers the changed accounts; `taken` when another account has the address. */
    async edit(ids: readonly string[], edit: UserEdit): Promise<UserRecord[] | 'taken'> {
      try {
        const rows = await tx.many<UserRow>(sql`
          update gateway.users set ${join(assignments(edit))}
          where id = any(${[...ids]}::text[]) returning ${columns}`)
        return rows.map((row) => toRecord(row).user)
      } catch (error) {
        if (isUniqueViolation(error)) return 'taken'
        throw error
      }
    },

    /** With everything of the gateway that hangs on the account. */
    remove: (id: string) => tx.many(sql`delete from gateway.users where id = ${id}`),

    /** One after the other: else two super administrators could take each other's role at once. */
    lockSuperAdmins: () =>
      tx.many(sql`select pg_advisory_xact_lock(hashtextextended('gateway.super_admins', 0))`),

    /** True while anybody can administer the platform. */
    async hasSuperAdmin(): Promise<boolean> {
      const rows = await tx.many(sql`
        select 1 from gateway.users where status = 'validated' and ${isSuperAdmin(superAdminEmails)} limit 1`)
      return rows.length > 0
    },
  }
}

function assignments(edit: UserEdit): Sql[] {
  const { email, meta, emailAnswered } = edit
  const plain: [column: Sql, value: string | null | undefined][] = [
    [sql`first_name`, edit.firstName],
    [sql`last_name`, edit.lastName],
    [sql`language`, edit.language],
    [sql`photo`, edit.photo],
    [sql`status`, edit.status],
    [sql`platform_role`, edit.platformRole],
    [sql`password_hash`, edit.passwordHash],
  ]
  const given = plain.filter(([, value]) => value !== undefined)
  const changes = given.map(([column, value]) => sql`${column} = ${value ?? null}`)
  if (edit.passwordHash !== undefined) changes.push(endSignInsUnderWay)
  if (meta !== undefined) changes.push(sql`meta = ${JSON.stringify(meta)}::jsonb`)
  if (email !== undefined) changes.push(...newAddress(normalizeEmail(email)))
  if (emailAnswered === true) changes.push(sql`email_validated_at = coalesce(email_validated_at, now())`)
  return [...changes, sql`updated_at = now()`]
}

/** Nobody has answered a mail to another address yet. */
const newAddress = (email: string): Sql[] => [
  sql`email = ${email}`,
  sql`email_validated_at = case when email = ${email} then email_validated_at end`,
]
