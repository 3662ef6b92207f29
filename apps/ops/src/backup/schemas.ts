import type { Migrations } from '@platform/database'

/** Making indexes over what a log already has takes its time. */
const SEARCH_MS = 600_000

/**
 * Every schema of the platform. Their owners are not imported, which would bring whole services along; a test sees to
 * it that none is missing.
 */
export const schemas: readonly Migrations[] = [
  {
    schema: 'installation',
    directory: new URL('../../../../packages/database/migrations/', import.meta.url),
  },
  { schema: 'outbox', directory: new URL('../../../../packages/broker/migrations/', import.meta.url) },
  {
    schema: 'search',
    directory: new URL('../../../../packages/search/migrations/', import.meta.url),
    timeoutMs: SEARCH_MS,
  },
  { schema: 'audit', directory: new URL('../../../../packages/audit/migrations/', import.meta.url) },
  {
    schema: 'idempotency',
    directory: new URL('../../../../packages/idempotency/migrations/', import.meta.url),
  },
  {
    schema: 'permissions',
    directory: new URL('../../../../packages/permissions/migrations/', import.meta.url),
  },
  { schema: 'gateway', directory: new URL('../../../../packages/identity/migrations/', import.meta.url) },
  { schema: 'events', directory: new URL('../../../events/migrations/', import.meta.url) },
  { schema: 'runtime', directory: new URL('../../../runtime/migrations/', import.meta.url) },
  { schema: 'workspaces', directory: new URL('../../../workspaces/migrations/', import.meta.url) },
]
