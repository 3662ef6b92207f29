import { type Queries, sql } from '@platform/database'

/** A caller in a workspace, as the tables of permissions name them. */
export interface RightsQuestion {
  workspaceId: string
  userId: string | null
  apiKeyId: string | null
}

/**
 * Everything in the tables that decides what these callers may do, as texts that change when it changes; one
 * statement for all.
 */
export const readerRightsStore = (queries: Queries) => ({
  async fingerprints(questions: readonly RightsQuestion[]): Promise<string[]> {
    const rows = await queries.many<{ fingerprint: string }>(sql`
      select concat_ws('|', workspace.id is not null, member.role, key.id, key.updated_at, key.disabled,
        key.expires_at <= now()) as fingerprint
      from unnest(
        ${questions.map(({ workspaceId }) => workspaceId)}::text[],
        ${questions.map(({ userId }) => userId)}::text[],
        ${questions.map(({ apiKeyId }) => apiKeyId)}::text[]
      ) with ordinality as asked (workspace_id, user_id, api_key_id, number)
      left join permissions.workspaces as workspace
        on workspace.id = asked.workspace_id and workspace.deleted_at is null
      left join permissions.members as member
        on member.workspace_id = asked.workspace_id and member.user_id = asked.user_id
      left join permissions.api_keys as key on key.id = asked.api_key_id::uuid
      order by asked.number`)
    return rows.map(({ fingerprint }) => fingerprint)
  },
})

export type ReaderRightsStore = ReturnType<typeof readerRightsStore>
