import { type Queries, type Sql, sql } from '@platform/database'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { MailedPurpose } from './mailed-token.ts'

export type MailedTokenStore = ReturnType<typeof mailedTokenStore>

/** Whom a link was mailed to. */
export interface MailedTo {
  userId: string
  email: string
  interaction: string | undefined
}

type Row = Omit<MailedTo, 'interaction'> & { interaction: string | null }

/** The secrets of mailed links. One works once, in its time, and only while its address is the one of the account. */
export const mailedTokenStore = (queries: Queries) => ({
  insert: (token: MailedTo & { tokenHash: string; purpose: MailedPurpose; expiresAt: Date }) =>
    queries.many(sql`
      insert into gateway.mailed_tokens (token_hash, purpose, user_id, email, interaction, expires_at)
      values (${token.tokenHash}, ${token.purpose}, ${token.userId}, ${token.email}, ${token.interaction ?? null},
        ${token.expiresAt})`),

  /** Without using it up. */
  find: (purpose: MailedPurpose, tokenHash: string, now: Date): Promise<MailedTo | undefined> =>
    first(
      queries,
      sql`
        select user_id as "userId", email, interaction from gateway.mailed_tokens
        where ${good(purpose, tokenHash, now)}`,
    ),

  /** Uses it up: of many at once, one gets it. */
  take: (purpose: MailedPurpose, tokenHash: string, now: Date): Promise<MailedTo | undefined> =>
    first(
      queries,
      sql`
        update gateway.mailed_tokens set used_at = ${now} where ${good(purpose, tokenHash, now)}
        returning user_id as "userId", email, interaction`,
    ),

  /** No link that was mailed to this account works any more. */
  removeOf: (userIds: readonly string[]) =>
    queries.many(sql`delete from gateway.mailed_tokens where user_id = any(${[...userIds]}::text[])`),

  /** Answers how many. */
  async deleteOver(now: Date, limit: number): Promise<number> {
    const rows = await queries.many(sql`
      delete from gateway.mailed_tokens where token_hash in (
        select token_hash from gateway.mailed_tokens where expires_at <= ${now} order by expires_at limit ${limit})
      returning 1`)
    return rows.length
  },
})

const good = (purpose: MailedPurpose, tokenHash: string, now: Date): Sql => sql`
  token_hash = ${tokenHash} and purpose = ${purpose} and used_at is null and expires_at > ${now}
  and exists (select 1 from gateway.users as owner where owner.id = user_id and owner.email = mailed_tokens.email)`

async function first(queries: Queries, statement: Sql): Promise<MailedTo | undefined> {
  const [row] = await queries.many<Row>(statement)
  return row && { ...row, interaction: row.interaction ?? undefined }
}

const BATCH = 1000

/** Removes links nobody can use any more. Any instance may run it. */
export const purgeMailedTokens = (deps: {
  tokens: Pick<MailedTokenStore, 'deleteOver'>
  clock: Clock
}): Job => ({
  name: 'purge-mailed-tokens',
  everyMs: 10 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deps.tokens.deleteOver(deps.clock.now(), limit)),
})
