import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { OpenPermissions } from '@platform/permissions'
import { apiKeyChangeStore } from './api-key-change-store.ts'
import { createApiKey } from './create-api-key.ts'
import { deleteApiKey } from './delete-api-key.ts'
import { explainApiKey } from './explain-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { updateApiKey } from './update-api-key.ts'

interface Needs {
  database: Database
  outbox: Outbox
  audit: Audit
  permissions: OpenPermissions
  clock: Clock
  /** Keys a workspace may have. */
  maxKeys: number
}

/** API keys of workspaces, for the composition root. */
export function wireApiKeys({ database, outbox, audit, permissions, clock, maxKeys }: Needs) {
  const deps = { apiKeys: apiKeyChangeStore(database, outbox, audit, maxKeys), permissions, clock }
  return {
    routes: [
      listApiKeys(deps),
      createApiKey(deps),
      updateApiKey(deps),
      deleteApiKey(deps),
      explainApiKey(deps),
    ],
  }
}
