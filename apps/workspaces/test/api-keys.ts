import type { ApiKey, ApiKeyRuleInput, ListedApiKey, Workspace } from '@platform/contracts'
import { createApiKey, listApiKeys } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import type { Client } from '@platform/service-client'
import type { TestWorkspaces } from './testing.ts'

/** The rules of a typical key. */
export const exampleRules: ApiKeyRuleInput[] = [
  { action: 'read', subject: 'workspaces' },
  { action: 'create', subject: 'files' },
]

/** A workspace with one key in it. */
export interface TestKey {
  workspace: Workspace
  owner: Client
  ownerId: string
  /** As creation answered it: with the key. */
  made: ApiKey
  /** As the list shows it: with the record id. */
  listed: ListedApiKey
}

export async function newKey(
  service: TestWorkspaces,
  rules: ApiKeyRuleInput[] = exampleRules,
): Promise<TestKey> {
  const { workspace, owner, ownerId } = await service.newWorkspace()
  const params = { workspaceId: workspace.id }
  const made = await owner(createApiKey, { params, body: { name: 'CI', rules } })
  const [listed] = await owner(listApiKeys, { params })
  if (listed === undefined) throw new Error('The list does not hold the key that was made.')
  return { workspace, owner, ownerId, made, listed }
}

/** What the audit trail says of a key, oldest first. */
export const auditOf = (database: Database, id: string) =>
  database.many<{ action: string; actor: string; details: string }>(sql`
    select action, actor, details from audit.entries where subject = ${`apiKey:${id}`} order by sequence`)

/** Every row of every table that a key may have left a trace in, as text. */
export async function traces(database: Database): Promise<string> {
  const rows = await database.many<{ row: string }>(sql`
    select to_jsonb(k)::text as row from permissions.api_keys k
    union all select to_jsonb(e)::text from outbox.events e
    union all select to_jsonb(a)::text from audit.entries a`)
  return rows.map(({ row }) => row).join('\n')
}
