import { type Queries, sql } from '@platform/database'
import type { FunctionRecord } from './declared-function.ts'

export type FunctionStore = ReturnType<typeof functionStore>

const columns = sql`
  definition, checksum, created_at as "createdAt", updated_at as "updatedAt", created_by as "createdBy",
  updated_by as "updatedBy"`

/** Statements about declared functions, run on the pool or in a transaction. */
export const functionStore = (queries: Queries) => ({
  async find(workspaceId: string, name: string): Promise<FunctionRecord | undefined> {
    const [row] = await queries.many<FunctionRecord>(sql`
      select ${columns} from workspaces.functions where workspace_id = ${workspaceId} and name = ${name}`)
    return row
  },

  /** By name; all of them without a page. */
  list: (workspaceId: string, page?: { offset: number; limit: number }) =>
    queries.many<FunctionRecord>(sql`
      select ${columns} from workspaces.functions where workspace_id = ${workspaceId} order by name
      limit ${page?.limit ?? null} offset ${page?.offset ?? 0}`),

  async listNames(workspaceId: string): Promise<string[]> {
    const rows = await queries.many<{ name: string }>(
      sql`select name from workspaces.functions where workspace_id = ${workspaceId}`,
    )
    return rows.map(({ name }) => name)
  },

  async save(workspaceId: string, record: FunctionRecord): Promise<void> {
    const { definition, checksum, createdAt, updatedAt, createdBy, updatedBy } = record
    await queries.many(sql`
      insert into workspaces.functions (
        workspace_id, name, definition, checksum, created_at, updated_at, created_by, updated_by
      ) values (
        ${workspaceId}, ${definition.name}, ${JSON.stringify(definition)}::json, ${checksum}, ${createdAt},
        ${updatedAt}, ${createdBy}, ${updatedBy}
      ) on conflict (workspace_id, name) do update set
        definition = excluded.definition, checksum = excluded.checksum, updated_at = excluded.updated_at,
        updated_by = excluded.updated_by`)
  },

  async remove(workspaceId: string, names: readonly string[]): Promise<void> {
    await queries.many(sql`
      delete from workspaces.functions where workspace_id = ${workspaceId} and name = any(${names}::text[])`)
  },
})
