import { type Queries, type Sql, sql } from '@platform/database'
import { type StoredChange, withChange } from './context-changes.ts'
import type { StoredContext, StoredValues } from './contexts.ts'
import { storableJson } from './storable.ts'

/** A change of a stored context, as it is written. */
export interface StoredPatch {
  readonly workspaceId: string
  readonly context: StoredContext
  readonly owner: string
  readonly content: Record<string, unknown>
  readonly removed: readonly string[]
  /** Of parts of other keys, in their order. */
  readonly changes?: readonly StoredChange[]
  /** Keys that are to end by themselves, Unix milliseconds; null: not any more. */
  readonly expiries?: Readonly<Record<string, number | null>>
  /** undefined: stored as long as the workspace. */
  readonly ttlSeconds: number | undefined
}

export type ContextStore = ReturnType<typeof contextStore>

/** What automations have set and other runs read again. */
export const contextStore = (database: Queries) => ({
  /** The values of one owner; nothing for one that never had any. */
  async load(workspaceId: string, context: StoredContext, owner: string): Promise<StoredValues> {
    const [row] = await database.many<StoredRow>(sql`
      select content, expiries, extract(epoch from now()) * 1000 as now from runtime.contexts
      where workspace_id = ${workspaceId} and context = ${context} and owner = ${owner}
        and (expires_at is null or expires_at > now())`)
    if (row === undefined) return { values: {}, ending: [] }
    if (row.expiries === null) return { values: row.content, ending: [] }
    const { expiries, content } = row
    const isThere = (key: string) => (expiries[key] ?? Number.POSITIVE_INFINITY) > Number(row.now)
    const values = Object.fromEntries(Object.entries(content).filter(([key]) => isThere(key)))
    return { values, ending: Object.keys(expiries) }
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

interface StoredRow {
  content: Record<string, unknown>
  expiries: Record<string, number> | null
  now: number
}

/** Keys of the row that is there whose time is over: nobody reads them any more. */
const endedKeys = sql`case when before.expiries is null then '{}'::text[] else array(
        select key from jsonb_each_text(before.expiries)
        where value::numeric <= extract(epoch from now()) * 1000) end`

/** What the row that is there becomes with the whole keys that are written. */
const replaced = sql`
      (before.content - excluded.removed - ${endedKeys}) || coalesce(excluded.replacing, excluded.content)`

/** Writes patches, as part of a larger statement. */
export const upsertPatches = (patches: readonly StoredPatch[]): Sql => sql`
  insert into runtime.contexts as before (workspace_id, context, owner, content, removed, replacing, changes, expiries,
    expires_at)
  select p."workspaceId", p.context, p.owner,
    case when p.changes is null then p.content else runtime.with_changes(p.content, p.changes) end,
    p.removed, case when p.changes is not null then p.content end, p.changes, nullif(p.expiries, '{}'),
    now() + p."ttlSeconds" * interval '1 second'
  from jsonb_to_recordset(${storableJson(mergedPatches(patches))}::jsonb)
    as p ("workspaceId" text, context text, owner text, content jsonb, removed text[], changes jsonb, expiries jsonb,
      "ttlSeconds" int)
  on conflict (workspace_id, context, owner) do update set
    -- What has expired but was not deleted yet must not come back.
    content = case when before.expires_at < now() then excluded.content
      when excluded.changes is null then ${replaced}
      else runtime.with_changes(${replaced}, excluded.changes) end,
    expiries = case when before.expiries is null or before.expires_at < now() then excluded.expiries
      else nullif(jsonb_strip_nulls((before.expiries - ${endedKeys}) || coalesce(excluded.expiries, '{}'))
        - excluded.removed, '{}') end,
    removed = '{}', replacing = null, changes = null, updated_at = now(), expires_at = excluded.expires_at`

/**
 * Patches of one owner as one: a statement may write a row once. In a fixed order, so that no two writers wait for
 * each other.
 */
function mergedPatches(patches: readonly StoredPatch[]): StoredPatch[] {
  const merged = new Map<string, StoredPatch>()
  for (const patch of patches) {
    const key = `${patch.workspaceId}\n${patch.context}\n${patch.owner}`
    const before = merged.get(key)
    merged.set(key, before === undefined ? patch : followed(before, patch))
  }
  return [...merged.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, patch]) => patch)
}

function followed(before: StoredPatch, after: StoredPatch): StoredPatch {
  const content = { ...before.content, ...after.content }
  for (const key of after.removed) delete content[key]
  const isWritten = ({ path: [key] }: StoredChange) =>
    Object.hasOwn(after.content, String(key)) || after.removed.includes(String(key))
  const changes = before.changes?.filter((change) => !isWritten(change)) ?? []
  for (const change of after.changes ?? []) {
    const key = String(change.path[0])
    if (!(Object.hasOwn(content, key) || before.removed.includes(key))) {
      changes.push(change)
      continue
    }
    const value = withChange(content[key], change)
    if (value !== undefined) content[key] = value
  }
  const removed = [...new Set([...before.removed, ...after.removed])].filter(
    (key) => !Object.hasOwn(content, key),
  )
  const expiries = { ...before.expiries, ...after.expiries }
  const { changes: _, ...rest } = after
  return { ...rest, content, removed, expiries, ...(changes.length === 0 ? {} : { changes }) }
}

/** What runs show of accounts. The gateway stores them in the same database. */
export const accountStore = (database: Queries) => ({
  /** Undefined for guests, who have none, and for accounts that are not there any more. */
  async findEmail(userId: string): Promise<string | undefined> {
    const [row] = await database.many<{ email: string | null }>(sql`
      select email from gateway.users where id = ${userId}`)
    return row?.email ?? undefined
  },
})
