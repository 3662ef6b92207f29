import { randomBytes } from 'node:crypto'
import type { PausedReason, Subscription } from '@platform/contracts'
import { Failure, HOUR_MS } from '@platform/kernel'

/** A subscription as it is stored; `headers` and the secrets are sealed. */
export interface SubscriptionRecord {
  id: string
  workspaceId: string
  name: string
  url: string
  events: string[]
  filter: Record<string, unknown>
  ordered: boolean
  maxConcurrency: number
  headers: string | null
  headerNames: string[]
  secret: string
  previousSecret: string | null
  previousSecretUntil: Date | null
  active: boolean
  activeSince: Date
  pausedReason: PausedReason | null
  pausedAt: Date | null
  failingSince: Date | null
  createdBy: string
  updatedBy: string
  /** True when it was changed last by a caller who sees everything in every workspace. */
  seesAll: boolean
  createdAt: Date
  updatedAt: Date
}

/** After a rotation receivers have this long to learn the new secret. */
export const SECRET_OVERLAP_MS = 24 * HOUR_MS

/** A signing secret as Standard Webhooks writes it: whsec_ and base64 of 32 bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Where a sealed value of a subscription belongs. */
export const sealContextOf = (id: string, column: 'headers' | 'secret'): string =>
  `events.subscriptions|${id}|${column}`

/** A subscription as callers see it. */
export function described(record: SubscriptionRecord): Subscription {
  const { id, name, url, events, filter, active, pausedReason, ordered, maxConcurrency } = record
  return {
    id,
    name,
    url,
    events,
    filter,
    active,
    pausedReason,
    ordered,
    maxConcurrency,
    pausedAt: iso(record.pausedAt),
    failingSince: iso(record.failingSince),
    headers: record.headerNames,
    previousSecretUntil: iso(record.previousSecretUntil),
    createdBy: record.createdBy,
    updatedBy: record.updatedBy,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}

const iso = (date: Date | null): string | null => date?.toISOString() ?? null

/** The one answer for a subscription that is missing or of another workspace. */
export const subscriptionNotFound = (): Failure =>
  new Failure('ObjectNotFoundError', 'There is no such subscription in this workspace: check its id.')
