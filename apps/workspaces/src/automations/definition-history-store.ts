import { type Queries, sql } from '@platform/database'

export type DefinitionHistoryStore = ReturnType<typeof definitionHistoryStore>

/** What automations were before they were changed or deleted. The database writes it (docs/adr/0060). */
export const definitionHistoryStore = (queries: Queries) => ({
  /** Forgets what something else took the place of before `before`, some at a time. Answers how many rows that were. */
  async forget(before: Date, limit: number): Promise<number> {
    const rows = await queries.many(sql`
      delete from workspaces.definition_history where (workspace_id, until_revision, slug) in (
        select workspace_id, until_revision, slug from workspaces.definition_history
        where superseded_at < ${before} order by superseded_at limit ${limit} for update skip locked
      ) returning 1`)
    return rows.length
  },

  /** The same for the texts. One that took its place again later is as old as that. */
  async forgetTexts(before: Date, limit: number): Promise<number> {
    const rows = await queries.many(sql`
      delete from workspaces.definition_texts where (workspace_id, checksum) in (
        select workspace_id, checksum from workspaces.definition_texts
        where superseded_at < ${before} order by superseded_at limit ${limit} for update skip locked
      ) returning 1`)
    return rows.length
  },
})
