import { maskedApiKey } from '@platform/auth'
import type { ListedApiKey } from '@platform/contracts'
import { strongEtag } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { ApiKeyRecord } from '@platform/permissions'

/** The slug in every key until organizations exist; nothing depends on it. */
export const ORG_SLUG = 'default'

/** How a record, an event or a log names a key. */
export const masked = ({ orgSlug, keyTail }: ApiKeyRecord): string => maskedApiKey(orgSlug, keyTail)

/** What every answer says of a key. */
export const described = ({ name, rules, workspaceId }: ApiKeyRecord) => ({
  name,
  rules,
  subjectId: workspaceId,
  subjectType: 'workspaces' as const,
})

/** A key as lists and edits show it. */
export const presentApiKey = (key: ApiKeyRecord): ListedApiKey => ({
  _id: key.id,
  apiKey: masked(key),
  ...described(key),
  disabled: key.disabled,
  expiresAt: key.expiresAt?.toISOString() ?? null,
  createdBy: key.createdBy,
  createdAt: key.createdAt.toISOString(),
  updatedAt: key.updatedAt.toISOString(),
  lastUsedAt: toTheMinute(key.lastUsedAt),
})

/**
 * The tag of what an edit may change, and of when it did. Keys of rules come back from the database in an order of
 * its own.
 */
export function apiKeyEtag({ id, name, rules, disabled, expiresAt, updatedAt }: ApiKeyRecord): string {
  const state = [id, name, disabled, expiresAt?.getTime(), updatedAt.getTime(), rules]
  return strongEtag(JSON.stringify(state, inOrder))
}

const inOrder = (_: string, value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

/** A key as events show it. */
export const announced = (key: ApiKeyRecord) => ({
  apiKey: masked(key),
  _id: key.id,
  subjectType: 'workspaces' as const,
  subjectId: key.workspaceId,
})

/** What an edit may change. */
export interface ApiKeyChanges {
  name?: string | undefined
  rules?: ApiKeyRecord['rules'] | undefined
  expiresAt?: string | null | undefined
  disabled?: boolean | undefined
}

/** The key after an edit: what was not given stays. */
export const changedApiKey = (key: ApiKeyRecord, changes: ApiKeyChanges, now: Date): ApiKeyRecord => ({
  ...key,
  rules: changes.rules ?? key.rules,
  name: changes.name ?? key.name,
  expiresAt: changes.expiresAt === undefined ? key.expiresAt : expiryOf(changes.expiresAt),
  disabled: changes.disabled ?? key.disabled,
  updatedAt: now,
})

/** Throws RequestValidationError for an expiry that is not in the future. */
export function requireFuture(expiresAt: string | null | undefined, now: Date): void {
  if (expiresAt === undefined || expiresAt === null || new Date(expiresAt) > now) return
  throw new Failure('RequestValidationError', 'expiresAt must lie in the future.', {
    details: [{ path: 'expiresAt', message: 'must lie in the future' }],
  })
}

/** The one answer for a key that is missing or of another workspace; a key in the path is not repeated. */
export const apiKeyNotFound = (): Failure =>
  new Failure('ObjectNotFoundError', 'There is no such API key in this workspace: check its _id in the list.')

export const expiryOf = (expiresAt: string | null | undefined): Date | null =>
  expiresAt === undefined || expiresAt === null ? null : new Date(expiresAt)

function toTheMinute(at: Date | null): string | null {
  if (at === null) return null
  const minute = new Date(at)
  minute.setUTCSeconds(0, 0)
  return minute.toISOString()
}
