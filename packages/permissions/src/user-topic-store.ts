import { type Queries, sql } from '@platform/database'

/** Topics that one user may be a member of in a workspace: each question to the events of the user names them all. */
export const MAX_TOPICS_OF_USER = 1000

export type UserTopicStore = ReturnType<typeof userTopicStore>

/** Named audiences of events, and who is in them; a name means nothing in another workspace. */
export const userTopicStore = (queries: Queries) => ({
  /** The topics of a user. */
  async listTopics(workspaceId: string, userId: string): Promise<string[]> {
    const rows = await queries.many<{ topic: string }>(sql`
      select topic from permissions.user_topic_members where workspace_id = ${workspaceId} and user_id = ${userId}
      order by topic limit ${MAX_TOPICS_OF_USER}`)
    return rows.map(({ topic }) => topic)
  },

  async isInAnyTopic(workspaceId: string, userId: string): Promise<boolean> {
    const rows = await queries.many(sql`
      select 1 from permissions.user_topic_members
      where workspace_id = ${workspaceId} and user_id = ${userId} limit 1`)
    return rows.length > 0
  },

  async hasTopic(workspaceId: string, name: string): Promise<boolean> {
    const rows = await queries.many(sql`
      select 1 from permissions.user_topics where workspace_id = ${workspaceId} and name = ${name}`)
    return rows.length > 0
  },

  /** Answers false where somebody else has made it meanwhile. */
  async createTopic(workspaceId: string, name: string): Promise<boolean> {
    const rows = await queries.many(sql`
      insert into permissions.user_topics (workspace_id, name) values (${workspaceId}, ${name})
      on conflict do nothing returning 1`)
    return rows.length > 0
  },

  async countTopics(workspaceId: string): Promise<number> {
    const [row] = await queries.many<{ count: number }>(sql`
      select count(*)::int as count from permissions.user_topics where workspace_id = ${workspaceId}`)
    return row?.count ?? 0
  },

  async countMembers(workspaceId: string, topic: string): Promise<number> {
    const [row] = await queries.many<{ count: number }>(sql`
      select count(*)::int as count from permissions.user_topic_members
      where workspace_id = ${workspaceId} and topic = ${topic}`)
    return row?.count ?? 0
  },

  /** One of these users who has more topics than one may have. */
  async findOverfullUser(workspaceId: string, userIds: readonly string[]): Promise<string | undefined> {
    const [row] = await queries.many<{ userId: string }>(sql`
      select user_id as "userId" from permissions.user_topic_members
      where workspace_id = ${workspaceId} and user_id = any(${userIds}::text[])
      group by user_id having count(*) > ${MAX_TOPICS_OF_USER} limit 1`)
    return row?.userId
  },

  /** Answers who was no member before. */
  async addMembers(workspaceId: string, topic: string, userIds: readonly string[]): Promise<string[]> {
    // In one order, so that two who add the same do not wait for each other.
    const rows = await queries.many<{ userId: string }>(sql`
      insert into permissions.user_topic_members (workspace_id, topic, user_id)
      select ${workspaceId}, ${topic}, one from unnest(${[...userIds].sort()}::text[]) as given (one)
      on conflict do nothing returning user_id as "userId"`)
    return rows.map(({ userId }) => userId)
  },
})
