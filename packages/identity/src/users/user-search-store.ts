import { join, type Queries, type Sql, sql } from '@platform/database'
import { normalizeEmail, type UserRecord } from './user.ts'
import { isSuperAdmin, toRecord, type UserRow, userColumns } from './user-row-store.ts'

/** All conditions hold together. */
export interface UserFilter {
  email?: string | undefined
  ids?: readonly string[] | undefined
  /** A part of a name or an address. */
  text?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  authProvider?: string | undefined
  status?: UserRecord['status'] | undefined
  platformRole?: string | undefined
  createdBefore?: string | undefined
  createdAfter?: string | undefined
}

export interface FoundUsers {
  /** How many there are on all pages. */
  size: number
  users: UserRecord[]
}

/** People with an account, newest first. */
export async function searchUsers(
  queries: Queries,
  superAdminEmails: readonly string[],
  filter: UserFilter,
  page: { offset: number; limit: number },
): Promise<FoundUsers> {
  const where = join(conditions(filter, superAdminEmails), ' and ')
  const [rows, [counted]] = await Promise.all([
    queries.many<UserRow>(sql`
      select ${userColumns(superAdminEmails)} from gateway.users where ${where}
      order by created_at desc, id limit ${page.limit} offset ${page.offset}`),
    queries.many<{ size: number }>(sql`select count(*)::int as size from gateway.users where ${where}`),
  ])
  return { size: counted?.size ?? 0, users: rows.map((row) => toRecord(row).user) }
}

function conditions(filter: UserFilter, superAdminEmails: readonly string[]): Sql[] {
  const { email, ids, text, firstName, lastName, authProvider, status, platformRole } = filter
  const all: (Sql | undefined)[] = [
    sql`email is not null`,
    email === undefined ? undefined : sql`email = ${normalizeEmail(email)}`,
    ids === undefined ? undefined : sql`id = any(${[...ids]}::text[])`,
    text === undefined
      ? undefined
      : sql`concat_ws(' ', first_name, last_name, email) ilike ${`%${literal(text)}%`}`,
    firstName === undefined ? undefined : sql`first_name ilike ${literal(firstName)}`,
    lastName === undefined ? undefined : sql`last_name ilike ${literal(lastName)}`,
    authProvider === undefined ? undefined : sql`auth_data ? ${authProvider}`,
    status === undefined ? undefined : sql`status = ${status}`,
    platformRole === undefined ? undefined : roleIs(platformRole, superAdminEmails),
    filter.createdBefore === undefined
      ? undefined
      : sql`created_at < ${utc(filter.createdBefore)}::timestamptz`,
    filter.createdAfter === undefined
      ? undefined
      : sql`created_at > ${utc(filter.createdAfter)}::timestamptz`,
  ]
  return all.filter((condition) => condition !== undefined)
}

const roleIs = (role: string, superAdminEmails: readonly string[]): Sql =>
  role === 'superAdmin' ? isSuperAdmin(superAdminEmails) : sql`false`

/** Without what `like` reads as a wildcard. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** PostgreSQL reads offsets up to 15:59; texts may have larger ones. */
const utc = (instant: string): string => new Date(instant).toISOString()
