import { type Database, type Queries, sql } from '@platform/database'

export type TotpStore = ReturnType<typeof totpStore>

/** An authenticator as it is kept; both secrets are sealed. */
export interface TotpRecord {
  secret: string | undefined
  pendingSecret: string | undefined
}

/** Authenticators and recovery codes. */
export const totpStore = (database: Database) => ({
  async find(userId: string): Promise<TotpRecord | undefined> {
    const [row] = await database.many<{ secret: string | null; pendingSecret: string | null }>(sql`
      select secret, pending_secret as "pendingSecret" from gateway.totp where user_id = ${userId}`)
    return row && { secret: row.secret ?? undefined, pendingSecret: row.pendingSecret ?? undefined }
  },

  /** Keeps a secret that waits for its first code. */
  keepPending: async (userId: string, sealed: string): Promise<void> => {
    await database.many(sql`
      insert into gateway.totp (user_id, pending_secret) values (${userId}, ${sealed})
      on conflict (user_id) do update set pending_secret = excluded.pending_secret`)
  },

  /** Takes the code of a step; false when that one or a later one was taken before. */
  async useStep(userId: string, sealed: string, step: number): Promise<boolean> {
    const rows = await database.many(sql`
      update gateway.totp set last_step = ${step}
      where user_id = ${userId} and secret = ${sealed} and last_step < ${step}
      returning 1`)
    return rows.length === 1
  },

  /** Makes the waiting secret count; false when it waits no more. */
  async confirm(tx: Queries, userId: string, sealed: string, step: number): Promise<boolean> {
    const rows = await tx.many(sql`
      update gateway.totp set secret = pending_secret, pending_secret = null, confirmed_at = now(), last_step = ${step}
      where user_id = ${userId} and pending_secret = ${sealed}
      returning 1`)
    return rows.length === 1
  },

  /** Answers whether there was a second factor. */
  async remove(tx: Queries, userId: string): Promise<boolean> {
    const rows = await tx.many<{ counted: boolean }>(sql`
      delete from gateway.totp where user_id = ${userId} returning confirmed_at is not null as counted`)
    return rows.some(({ counted }) => counted)
  },

  /** New recovery codes instead of all old ones; false when there is no second factor they could replace. */
  async replaceRecoveryCodes(tx: Queries, userId: string, hashes: readonly string[]): Promise<boolean> {
    const held = await tx.many(sql`
      select 1 from gateway.totp where user_id = ${userId} and confirmed_at is not null for update`)
    if (held.length === 0) return false
    await tx.many(sql`delete from gateway.recovery_codes where user_id = ${userId}`)
    await tx.many(sql`
      insert into gateway.recovery_codes (user_id, code_hash) select ${userId}, unnest(${hashes}::text[])`)
    return true
  },

  /** Uses a recovery code up; false when there is none like it left. */
  async useRecoveryCode(tx: Queries, userId: string, hash: string): Promise<boolean> {
    const rows = await tx.many(sql`
      update gateway.recovery_codes set used_at = now()
      where user_id = ${userId} and code_hash = ${hash} and used_at is null
      returning 1`)
    return rows.length === 1
  },

  /** Of these users, those with a second factor. */
  async listWithFactor(userIds: readonly string[]): Promise<Set<string>> {
    const rows = await database.many<{ userId: string }>(sql`
      select user_id as "userId" from gateway.totp
      where user_id = any(${userIds}::text[]) and confirmed_at is not null`)
    return new Set(rows.map(({ userId }) => userId))
  },
})
