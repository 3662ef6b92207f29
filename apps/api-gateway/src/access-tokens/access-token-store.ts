import { type Database, one, type Sql, sql } from '@platform/database'
import type { AccessTokenRecord } from './access-token.ts'

export type AccessTokenStore = ReturnType<typeof accessTokenStore>

/** A use of a token, to the minute. */
export interface TokenUse {
  id: string
  at: Date
}

const fields: Sql = sql`id::text as "_id", user_id as "userId", name, created_at as "createdAt", expires_at as "expiresAt",
  last_used_at as "lastUsedAt"`

/** The access tokens in the database; a token is found by its hash alone. */
export const accessTokenStore = (database: Database) => ({
  insert: (token: { userId: string; name: string; tokenHash: string; expiresAt: Date }) =>
    one<AccessTokenRecord>(
      database,
      sql`
        insert into gateway.access_tokens (user_id, name, token_hash, expires_at)
        values (${token.userId}, ${token.name}, ${token.tokenHash}, ${token.expiresAt})
        returning ${fields}`,
    ),

  /** The record of a token that has not expired. */
  async findByHash(tokenHash: string, now: Date): Promise<AccessTokenRecord | undefined> {
    const [record] = await database.many<AccessTokenRecord>(sql`
      select ${fields} from gateway.access_tokens where token_hash = ${tokenHash} and expires_at > ${now}`)
    return record
  },

  /** Newest first. */
  listOf: (userId: string, page: { offset: number; limit: number }) =>
    database.many<AccessTokenRecord>(sql`
      select ${fields} from gateway.access_tokens where user_id = ${userId} order by created_at desc, id
      limit ${page.limit} offset ${page.offset}`),

  /** Deletes a token of a user and notes it for every instance, in one statement. */
  async revoke(id: string, userId: string): Promise<AccessTokenRecord | undefined> {
    const [record] = await database.many<AccessTokenRecord>(sql`
      with deleted as (
        delete from gateway.access_tokens where id::text = ${id} and user_id = ${userId} returning *
      ), noted as (
        insert into gateway.revocations (id) select 'at:' || id from deleted
      )
      select ${fields} from deleted`)
    return record
  },

  /** The latest use of each token, in one statement. */
  noteUses: (uses: readonly TokenUse[]) =>
    database.many(sql`
      update gateway.access_tokens as token set last_used_at = used.at
      from unnest(${uses.map((use) => use.id)}::uuid[], ${uses.map((use) => use.at.toISOString())}::timestamptz[]) as used (id, at)
      where token.id = used.id and (token.last_used_at is null or token.last_used_at < used.at)`),

  deleteOver: (now: Date) => database.many(sql`delete from gateway.access_tokens where expires_at < ${now}`),
})
