import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { OpenPermissions } from '@platform/permissions'
import type { Part } from '@platform/service'
import { apiKeyChangeStore } from './api-key-change-store.ts'
import { createApiKey } from './create-api-key.ts'
import { deleteApiKey } from './delete-api-key.ts'
import { explainApiKey } from './explain-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { updateApiKey } from './update-api-key.ts'

/** API keys of workspaces. */
export function apiKeysPart({
  database,
  outbox,
  audit,
  permissions,
  clock,
  maxKeys,
}: {
  database: Database
  outbox: Outbox
  audit: Audit
  permissions: OpenPermissions
  clock: Clock
  /** Keys a workspace may have. */
  maxKeys: number
}): Part {
  const apiKeys = apiKeyChangeStore(database, outbox, audit, maxKeys)
  return {
    routes: [
      listApiKeys({ apiKeys, permissions }),
      createApiKey({ apiKeys, permissions, clock }),
      updateApiKey({ apiKeys, permissions, clock }),
      deleteApiKey({ apiKeys, permissions }),
      explainApiKey({ apiKeys, permissions, clock }),
    ],
  }
}
