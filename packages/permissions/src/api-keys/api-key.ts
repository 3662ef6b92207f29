import type { ApiKeyRule } from '@platform/contracts'

/** An API key as it is kept: never the key itself. */
export interface ApiKeyRecord {
  /** The record id, a UUID; not the one inside the key. */
  id: string
  workspaceId: string
  name: string
  /** Last 4 characters of the key. */
  keyTail: string
  orgSlug: string
  rules: ApiKeyRule[]
  /** Id of the user whose rights bound those of the key for as long as it lives. */
  createdBy: string
  /** True when it stands on the power of a super administrator and not on a membership. */
  createdAsSuperAdmin: boolean
  disabled: boolean
  expiresAt: Date | null
  createdAt: Date
  updatedAt: Date
  lastUsedAt: Date | null
}

/** False for a key that is disabled or expired. */
export const isUsable = (key: Pick<ApiKeyRecord, 'disabled' | 'expiresAt'>, now: Date): boolean =>
  !key.disabled && (key.expiresAt === null || key.expiresAt > now)
