import { type Queries, type Sql, sql } from '@platform/database'
import { storableJson } from '../automations/storable.ts'
import type { StoredContext } from './contexts.ts'
import { mergedPatches, type StoredPatch } from './stored-patch.ts'

export type ContextStore = ReturnType<typeof contextStore>

/** What automations have set and is kept between runs. */
export const contextStore = (database: Queries) => ({
  /** The values of one owner; nothing for one that never had any. */
  async load(workspaceId: string, context: StoredContext, owner: string): Promise<Record<string, unknown>> {
    const [row] = await database.many<{ content: Record<string, unknown> }>(sql`
      select content from runtime.contexts
      where workspace_id = ${workspaceId} and context = ${context} and owner = ${owner}
        and (expires_at is null or expires_at > now())`)
    return row?.content ?? {}
  },

  /** Some at a time, none that is being written at this moment. Answers how many went. */
  async deleteExpired(limit: number): Promise<number> {
    const rows = await database.many(sql`
      delete from runtime.contexts where (workspace_id, context, owner) in (
        select workspace_id, context, owner from runtime.contexts
        where expires_at < now() limit ${limit} for update skip locked)
      returning 1`)
    return rows.length
  },
})

/** Writes patches, as part of a larger statement. */
export const upsertPatches = (patches: readonly StoredPatch[]): Sql => sql`
  insert into runtime.contexts as kept (workspace_id, context, owner, content, removed, expires_at)
  select p."workspaceId", p.context, p.owner, p.content, p.removed, now() + p."ttlSeconds" * interval '1 second'
  from jsonb_to_recordset(${storableJson(mergedPatches(patches))}::jsonb)
    as p ("workspaceId" text, context text, owner text, content jsonb, removed text[], "ttlSeconds" int)
  on conflict (workspace_id, context, owner) do update set
    -- What has expired but was not deleted yet must not come back.
    content = case when kept.expires_at < now() then excluded.content
      else (kept.content - excluded.removed) || excluded.content end,
    removed = '{}', updated_at = now(), expires_at = excluded.expires_at`
