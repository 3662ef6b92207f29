import { type Queries, sql } from '@platform/database'

export type AccountAccessStore = ReturnType<typeof accountAccessStore>

/** A session that was just ended. */
export interface EndedSession {
  sessionId: string
  userId: string
  clientId: string
}

/**
 * What an account can be used with, ended inside the transaction that ends the right to it. Each method notes what
 * every instance has to forget and answers it, to be broadcast after the commit.
 */
export const accountAccessStore = (tx: Queries) => ({
  /** Ends the sessions and whatever could start a new one, but for one session and the browser it lives in. */
  async endSessions(userIds: readonly string[], exceptSessionId?: string): Promise<EndedSession[]> {
    const kept = exceptSessionId ?? null
    const owners = sql`any(${[...userIds]}::text[])`
    await tx.many(sql`
      with kept as (
        select grant_id, browser_uid from gateway.oidc_sign_ins where session_id = ${kept} and account_id = ${owners}
      ), records as (
        delete from gateway.oidc_records as record where account_id = ${owners}
          and not exists (select 1 from kept where kept.grant_id = record.grant_id)
          and not exists (select 1 from kept where record.model = 'Grant' and record.id = kept.grant_id)
          and not exists (select 1 from kept where record.model = 'Session' and record.uid = kept.browser_uid)
      )
      delete from gateway.oidc_sign_ins where account_id = ${owners} and session_id is distinct from ${kept}`)
    return tx.many<EndedSession>(sql`
      with ended as (
        update gateway.sessions set ended_at = now()
        where user_id = ${owners} and ended_at is null and id is distinct from ${kept} returning id, user_id, client_id
      ), noted as (
        insert into gateway.revocations (id) select id from ended
      )
      select id as "sessionId", user_id as "userId", client_id as "clientId" from ended`)
  },

  /** What is cached of these users is no longer true. */
  forgetUsers: (userIds: readonly string[]): Promise<string[]> =>
    ids(
      tx,
      sql`insert into gateway.revocations (id) select 'user:' || id from unnest(${[...userIds]}::text[]) as id
        returning id`,
    ),

  /** Removes every credential of an account that is about to go. */
  async removeAll(userId: string): Promise<string[]> {
    await tx.many(sql`
      with records as (delete from gateway.oidc_records where account_id = ${userId})
      delete from gateway.oidc_sign_ins where account_id = ${userId}`)
    return ids(
      tx,
      sql`
        with ended as (
          delete from gateway.sessions where user_id = ${userId} returning id
        ), revoked as (
          delete from gateway.access_tokens where user_id = ${userId} returning 'at:' || id as id
        )
        insert into gateway.revocations (id)
        select id from ended union all select id from revoked union all select ${`user:${userId}`}::text
        returning id`,
    )
  },
})

async function ids(tx: Queries, statement: ReturnType<typeof sql>): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(statement)
  return rows.map(({ id }) => id)
}
