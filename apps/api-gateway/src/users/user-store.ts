import { type Database, one, type Queries, type Sql, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { normalizeEmail, type UserRecord } from './user.ts'

export type UserStore = ReturnType<typeof userStore>

/** What is needed to sign somebody in by password. */
export interface PasswordRecord {
  user: UserRecord
  passwordHash: string | undefined
}

type Row = {
  [K in keyof UserRecord]: undefined extends UserRecord[K] ? UserRecord[K] | null : UserRecord[K]
} & {
  passwordHash: string | null
}

/**
 * `superAdminEmails` are super administrators once a mail to their address was answered (decisions C10): else whoever signs up with
 * a listed address would take the platform over.
 */
export const userStore = (database: Database, superAdminEmails: readonly string[] = []) => {
  const listed = superAdminEmails.map(normalizeEmail)
  const columns = sql`id, email, first_name as "firstName", last_name as "lastName", language, status, auth_data as "authData",
    case when platform_role = 'superAdmin' or (email_validated_at is not null and email = any(${listed}::text[]))
      then 'superAdmin' end as "platformRole",
    password_hash as "passwordHash", created_at as "createdAt"`

  return {
    find: async (id: string): Promise<UserRecord | undefined> =>
      (await firstOf(database, sql`select ${columns} from gateway.users where id = ${id}`))?.user,

    /** An account by its address, whatever its case, with what its password is checked against. */
    findByEmail: (email: string): Promise<PasswordRecord | undefined> =>
      firstOf(database, sql`select ${columns} from gateway.users where email = ${normalizeEmail(email)}`),

    /** A visitor without an account; the row goes away after `expiresAt`. */
    async insertAnonymous({ expiresAt }: { expiresAt: Date }): Promise<UserRecord> {
      const statement = sql`
        insert into gateway.users (id, status, auth_data, expires_at)
        values (${uuidv7()}, 'validated', '{"anonymous": {}}', ${expiresAt})
        returning ${columns}`
      return toRecord(await one<Row>(database, statement)).user
    },

    /** True once anybody has an account. */
    async hasAccounts(): Promise<boolean> {
      const row = await one<{ found: boolean }>(
        database,
        sql`select exists (select 1 from gateway.users where email is not null) as found`,
      )
      return row.found
    },

    /** Makes the first account, unless another process was quicker: then answers undefined. */
    insertFirst: (account: FirstAccount): Promise<string | undefined> =>
      database.transaction((tx) => insertFirst(tx, account)),

    /** Answers the id of the account, or undefined when nobody has that address. */
    async replacePassword(email: string, passwordHash: string): Promise<string | undefined> {
      const [row] = await database.many<{ id: string }>(sql`
        update gateway.users set password_hash = ${passwordHash}, updated_at = now()
        where email = ${normalizeEmail(email)} returning id`)
      return row?.id
    },

    /** Replaces a hash by a stronger one of the same password, unless the password has changed meanwhile. */
    rehash: async (id: string, before: string, after: string): Promise<void> => {
      await database.many(sql`
        update gateway.users set password_hash = ${after} where id = ${id} and password_hash = ${before}`)
    },

    /** Removes anonymous users whose time is over, a bounded batch at once. Answers how many. */
    async deleteExpired(now: Date, limit: number): Promise<number> {
      const rows = await database.many(sql`
        delete from gateway.users where id in (
          select id from gateway.users where expires_at <= ${now} order by expires_at limit ${limit}
        ) returning id`)
      return rows.length
    },
  }
}

interface FirstAccount {
  email: string
  passwordHash: string
  withSample: boolean
}

/** The lock makes processes that start together wait for each other; the second one sees the account of the first. */
async function insertFirst(tx: Queries, account: FirstAccount): Promise<string | undefined> {
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended('gateway.first_start', 0))`)
  const [taken] = await tx.many(sql`select 1 from gateway.users where email is not null limit 1`)
  if (taken !== undefined) return undefined
  const id = uuidv7()
  await tx.many(sql`
    insert into gateway.users (id, email, status, platform_role, password_hash)
    values (${id}, ${normalizeEmail(account.email)}, 'validated', 'superAdmin', ${account.passwordHash})`)
  await tx.many(sql`
    insert into gateway.first_start (administrator_id, sample_made_at)
    values (${id}, case when ${account.withSample} then null else now() end)
    on conflict do nothing`)
  return id
}

async function firstOf(database: Queries, statement: Sql): Promise<PasswordRecord | undefined> {
  const [row] = await database.many<Row>(statement)
  return row && toRecord(row)
}

function toRecord({ passwordHash, ...row }: Row): PasswordRecord {
  const known = Object.entries(row).map(([name, value]) => [name, value ?? undefined])
  return { user: Object.fromEntries(known) as UserRecord, passwordHash: passwordHash ?? undefined }
}
