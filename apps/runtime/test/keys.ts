import { apiKeyStore, grantRules, rulesOf } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import type { TestRuntime } from './testing.ts'

/** A key of ada's, who owns the workspace, that may do this with automations. */
export async function newKey(runtime: TestRuntime, workspaceId: string, action: string) {
  const everything = rulesOf({ kind: 'internal' }, undefined)
  const rules = grantRules([{ action, subject: 'automations' }], workspaceId, everything)
  const key = apiKeyRecord({ workspaceId, createdBy: 'ada', rules })
  const { id } = key
  await apiKeyStore(runtime.database).insert(key, id)
  return { id, headers: runtime.headersOf({ kind: 'apiKey', apiKeyId: id }) }
}
