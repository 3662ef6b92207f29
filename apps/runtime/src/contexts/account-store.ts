import { type Queries, sql } from '@platform/database'

/** What runs show of accounts. The gateway stores them in the same database. */
export const accountStore = (database: Queries) => ({
  /** Undefined for guests, who have none, and for accounts that are not there any more. */
  async findEmail(userId: string): Promise<string | undefined> {
    const [row] = await database.many<{ email: string | null }>(sql`
      select email from gateway.users where id = ${userId}`)
    return row?.email ?? undefined
  },
})
