import { type Queries, sql } from '@platform/database'

export type FirstStartStore = ReturnType<typeof firstStartStore>

/** What the first start still has to do. */
export const firstStartStore = (database: Queries) => ({
  /**
   * The administrator whose sample workspace is still to be made, for this process to make within 30 s. `not yet` when
   * another process makes it, or the first start has not come so far.
   */
  async claimSample(): Promise<{ ownerId: string } | 'done' | 'not yet'> {
    const [claimed] = await database.many<{ ownerId: string }>(sql`
      update gateway.first_start set sample_claimed_at = now()
      where sample_made_at is null and (sample_claimed_at is null or sample_claimed_at < now() - interval '30 seconds')
      returning administrator_id as "ownerId"`)
    if (claimed !== undefined) return claimed
    const [made] = await database.many(
      sql`select 1 from gateway.first_start where sample_made_at is not null`,
    )
    return made === undefined ? 'not yet' : 'done'
  },

  sampleMade: async (): Promise<void> => {
    await database.many(
      sql`update gateway.first_start set sample_made_at = now() where sample_made_at is null`,
    )
  },

  /** Lets any process try again at once. */
  releaseSample: async (): Promise<void> => {
    await database.many(
      sql`update gateway.first_start set sample_claimed_at = null where sample_made_at is null`,
    )
  },
})
