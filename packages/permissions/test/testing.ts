import { uuidv7 } from '@platform/kernel'
import type { ApiKeyRecord } from '../src/api-keys/api-key.ts'

/** For tests: a key without rules that is good for ever, but for what is given. */
export function apiKeyRecord(
  given: Pick<ApiKeyRecord, 'workspaceId' | 'createdBy'> & Partial<ApiKeyRecord>,
): ApiKeyRecord {
  const now = new Date()
  return {
    id: uuidv7(),
    name: 'Key',
    keyTail: '4f2a',
    orgSlug: 'default',
    rules: [],
    createdAsSuperAdmin: false,
    disabled: false,
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
    ...given,
  }
}
