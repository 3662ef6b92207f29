import { type Queries, type Sql, sql } from '@platform/database'
import { normalizeEmail, type UserRecord } from './user.ts'

/** What is needed to sign somebody in by password. */
export interface PasswordRecord {
  user: UserRecord
  passwordHash: string | undefined
}

/** An account as the database answers it. */
export type UserRow = {
  [K in keyof UserRecord]: undefined extends UserRecord[K]
    ? Exclude<UserRecord[K], undefined> | null
    : UserRecord[K]
} & { passwordHash: string | null }

/** Which accounts are super administrators. */
export const isSuperAdmin = (superAdminEmails: readonly string[]): Sql => {
  const listed = superAdminEmails.map(normalizeEmail)
  return sql`(platform_role = 'superAdmin' or (email_validated_at is not null and email = any(${listed}::text[])))`
}

/** The columns of an account. */
export const userColumns = (superAdminEmails: readonly string[]): Sql =>
  sql`id, email, first_name as "firstName", last_name as "lastName", language, status, auth_data as "authData",
    case when ${isSuperAdmin(superAdminEmails)} then 'superAdmin' end as "platformRole", photo, meta,
    email_validated_at as "emailValidatedAt", password_hash as "passwordHash",
    sign_ins_valid_from as "signInsValidFrom", created_at as "createdAt",
    updated_at as "updatedAt"`

export const toRecord = ({ passwordHash, ...row }: UserRow): PasswordRecord => {
  const known = Object.entries(row).map(([name, value]) => [name, value ?? undefined])
  return { user: Object.fromEntries(known) as UserRecord, passwordHash: passwordHash ?? undefined }
}

export async function firstRecord(queries: Queries, statement: Sql): Promise<PasswordRecord | undefined> {
  const [row] = await queries.many<UserRow>(statement)
  return row && toRecord(row)
}

export async function firstUser(queries: Queries, statement: Sql): Promise<UserRecord | undefined> {
  return (await firstRecord(queries, statement))?.user
}

/**
 * What a new password sets beside its hash. A little ahead: until the commit somebody may read the old hash, and
 * clocks differ. Who signs in with the new one meanwhile is told the same instant, so nobody is kept out.
 */
export const endSignInsUnderWay: Sql = sql`sign_ins_valid_from = clock_timestamp() + interval '5 seconds'`
