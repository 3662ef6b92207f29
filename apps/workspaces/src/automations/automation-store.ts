import type { AutomationSource } from '@platform/automation-checks'
import { type Queries, sql } from '@platform/database'
import type { Change, ChangeStore } from '../changes/change-store.ts'
import { type AutomationRecord, endpointOf, indexEntryOf, type ListedAutomation } from './automation.ts'

/** What the others of a workspace must know of an automation. */
export interface Neighbour {
  slug: string
  endpoint: string | null
}

export type AutomationStore = ReturnType<typeof automationStore>

const recordColumns = sql`
  checksum, created_at as "createdAt", updated_at as "updatedAt", created_by as "createdBy", updated_by as "updatedBy"`

/** Statements about automations, run on the pool or in a transaction. */
export const automationStore = (queries: Queries) => ({
  async find(workspaceId: string, slug: string): Promise<AutomationRecord | undefined> {
    const [row] = await queries.many<AutomationRecord>(sql`
      select definition, ${recordColumns} from workspaces.automations
      where workspace_id = ${workspaceId} and slug = ${slug}`)
    return row
  },

  /** The YAML it was saved as, if it was; undefined as well where it is not there. */
  async findSource(workspaceId: string, slug: string): Promise<string | undefined> {
    const [row] = await queries.many<{ source: string }>(sql`
      select source from workspaces.automations
      where workspace_id = ${workspaceId} and slug = ${slug} and source_checksum = checksum and source is not null`)
    return row?.source
  },

  /** Oldest first; all of them without a page. */
  list: (workspaceId: string, page?: { offset: number; limit: number }) =>
    queries.many<ListedAutomation>(sql`
      select index_entry as entry, ${recordColumns} from workspaces.automations
      where workspace_id = ${workspaceId} order by created_at, slug
      limit ${page?.limit ?? null} offset ${page?.offset ?? 0}`),

  listNeighbours: (workspaceId: string) =>
    queries.many<Neighbour>(sql`
      select slug, endpoint from workspaces.automations where workspace_id = ${workspaceId} order by created_at, slug`),

  async insert(workspaceId: string, record: AutomationRecord): Promise<void> {
    const { definition, checksum, createdAt, updatedAt, createdBy, updatedBy } = record
    await queries.many(sql`
      insert into workspaces.automations (
        workspace_id, slug, definition, index_entry, endpoint, checksum, created_at, updated_at, created_by, updated_by
      ) values (
        ${workspaceId}, ${definition.slug}, ${JSON.stringify(definition)}::json,
        ${JSON.stringify(indexEntryOf(definition))}::json,
        ${endpointOf(definition) ?? null}, ${checksum}, ${createdAt}, ${updatedAt}, ${createdBy}, ${updatedBy}
      )`)
  },

  async update(workspaceId: string, slug: string, record: AutomationRecord): Promise<void> {
    const { definition, checksum, updatedAt, updatedBy } = record
    await queries.many(sql`
      update workspaces.automations set
        slug = ${definition.slug}, definition = ${JSON.stringify(definition)}::json,
        index_entry = ${JSON.stringify(indexEntryOf(definition))}::json, endpoint = ${endpointOf(definition) ?? null},
        checksum = ${checksum}, updated_at = ${updatedAt}, updated_by = ${updatedBy}
      where workspace_id = ${workspaceId} and slug = ${slug}`)
  },

  /** Keeps the text of what was just saved. It is that of the definition, and no other, as long as that is the same. */
  async setSource(workspaceId: string, slug: string, { text, places }: AutomationSource): Promise<void> {
    await queries.many(sql`
      update workspaces.automations set
        source = ${text}, source_checksum = checksum, source_places = ${JSON.stringify(places)}::json
      where workspace_id = ${workspaceId} and slug = ${slug}`)
  },

  async remove(workspaceId: string, slug: string): Promise<void> {
    await queries.many(sql`
      delete from workspaces.automations where workspace_id = ${workspaceId} and slug = ${slug}`)
  },
})

/** What a change of an automation touches: its workspace, too, which stays locked until the change is committed. */
interface Touched {
  automations: AutomationStore
  workspaces: { touch(workspaceId: string): Promise<object | undefined> }
  functions: { listNames(workspaceId: string): Promise<string[]> }
}

/** Changes of automations. */
export type AutomationChange = Change<Touched>
export type AutomationChanges = ChangeStore<Touched>
