import { type Database, one, type Queries, type Sql, sql } from '@platform/database'
import { type Clock, Failure, MINUTE_MS, uuidv7 } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import { normalizeEmail, type UserRecord } from './user.ts'
import { userChanges } from './user-changes-store.ts'
import {
  endSignInsUnderWay,
  firstRecord,
  firstUser,
  type PasswordRecord,
  toRecord,
  type UserRow,
  userColumns,
} from './user-row-store.ts'
import { searchUsers, type UserFilter } from './user-search-store.ts'

export type { PasswordRecord } from './user-row-store.ts'
export type UserStore = ReturnType<typeof userStore>

/** Somebody an external provider has vouched for. */
export interface ProvidedAccount {
  email: string | undefined
  firstName: string | undefined
  lastName: string | undefined
  language: string | undefined
  /** Slug of the provider. */
  provider: string
  authData: Record<string, unknown>
}

/**
 * `superAdminEmails` are super administrators once a mail to their address was answered: else whoever
 * signs up with a listed address would take the platform over.
 */
export const userStore = (database: Database, superAdminEmails: readonly string[] = []) => {
  const columns = userColumns(superAdminEmails)
  return {
    ...accounts(database, columns),
    ...profiles(database, columns),
    ...firstAccount(database),
    ...visitors(database, columns),

    search: (filter: UserFilter, page: { offset: number; limit: number }) =>
      searchUsers(database, superAdminEmails, filter, page),

    /** What changes inside a transaction. */
    changes: (tx: Queries) => userChanges(tx, superAdminEmails),
  }
}

function accounts(database: Database, columns: Sql) {
  return {
    find: (id: string): Promise<UserRecord | undefined> =>
      firstUser(database, sql`select ${columns} from gateway.users where id = ${id}`),

    /** An account by its address, whatever its case, with what its password is checked against. */
    findByEmail: (email: string): Promise<PasswordRecord | undefined> =>
      firstRecord(database, sql`select ${columns} from gateway.users where email = ${normalizeEmail(email)}`),

    /** Answers the id of the account, or undefined when nobody has that address. */
    async replacePassword(email: string, passwordHash: string): Promise<string | undefined> {
      const [row] = await database.many<{ id: string }>(sql`
        with changed as (
          update gateway.users set password_hash = ${passwordHash}, ${endSignInsUnderWay}, updated_at = now()
          where email = ${normalizeEmail(email)} returning id
        ), forgotten as (
          delete from gateway.mailed_tokens where user_id in (select id from changed)
        )
        select id from changed`)
      return row?.id
    },

    /** Replaces a hash by a stronger one of the same password, unless the password has changed meanwhile. */
    rehash: async (id: string, before: string, after: string): Promise<void> => {
      await database.many(sql`
        update gateway.users set password_hash = ${after} where id = ${id} and password_hash = ${before}`)
    },
  }
}

function profiles(database: Database, columns: Sql) {
  return {
    /** Undefined takes the picture away. Answers undefined when there is no such account. */
    setPhoto: (id: string, url: string | undefined): Promise<UserRecord | undefined> =>
      firstUser(
        database,
        sql`
          update gateway.users set photo = ${url ?? null}, updated_at = now()
          where id = ${id} and email is not null returning ${columns}`,
      ),

    /** Replaces what a provider knows of an account. Answers undefined when there is no such account. */
    addAuthData: (
      id: string,
      provider: string,
      data: Record<string, unknown>,
    ): Promise<UserRecord | undefined> =>
      firstUser(
        database,
        sql`
          update gateway.users set auth_data = auth_data || ${JSON.stringify({ [provider]: data })}::jsonb,
          updated_at = now()
          where id = ${id} returning ${columns}`,
      ),

    /** An account without a password that can be used at once. Throws AlreadyUsed when the address has one. */
    async createValidated(account: ProvidedAccount): Promise<UserRecord> {
      const email = account.email === undefined ? null : normalizeEmail(account.email)
      const authData = JSON.stringify({ [account.provider]: account.authData })
      const user = await firstUser(
        database,
        sql`
          insert into gateway.users (id, email, first_name, last_name, language, status, auth_data)
          values (${uuidv7()}, ${email}, ${account.firstName ?? null}, ${account.lastName ?? null},
            ${account.language ?? null}, 'validated', ${authData}::jsonb)
          on conflict do nothing returning ${columns}`,
      )
      if (user !== undefined) return user
      throw new Failure('AlreadyUsed', 'This e-mail address has an account already: sign in to it.')
    },
  }
}

function firstAccount(database: Database) {
  return {
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
  }
}

function visitors(database: Database, columns: Sql) {
  return {
    /** A visitor without an account; the row goes away after `expiresAt`. */
    async insertAnonymous({ expiresAt }: { expiresAt: Date }): Promise<UserRecord> {
      const statement = sql`
        insert into gateway.users (id, status, auth_data, expires_at)
        values (${uuidv7()}, 'validated', '{"anonymous": {}}', ${expiresAt})
        returning ${columns}`
      return toRecord(await one<UserRow>(database, statement)).user
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

const BATCH = 1000

/** Removes anonymous users whose time is over. Any instance may run it. */
export const purgeAnonymousUsers = (deps: {
  users: Pick<UserStore, 'deleteExpired'>
  clock: Clock
}): Job => ({
  name: 'purge-anonymous-users',
  everyMs: 10 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deps.users.deleteExpired(deps.clock.now(), limit)),
})
