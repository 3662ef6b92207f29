import { type Database, migrate } from '@platform/database'
import { type ApiKeyStore, apiKeyStore } from './api-key-store.ts'

/**
 * Opens the API keys kept in `database` for whoever resolves them, migrating schema `permissions` when this process
 * is the first to start. Rejects with DatabaseError when the database can't answer.
 */
export async function openApiKeys(database: Database): Promise<ApiKeyStore> {
  await migrate(database, 'permissions', new URL('../../migrations/', import.meta.url))
  return apiKeyStore(database)
}
