import { PLATFORM_STREAM } from '@platform/contracts'
import { DAY_MS } from '@platform/kernel'
import type { StreamSummary } from '@platform/search'

/** How long events are stored. */
export interface RetentionSettings {
  retentionDays: number
  /** A workspace with fewer events is small. */
  workspaceMaxEvents: number
  /** A small workspace without an event for so long loses its stream. */
  workspaceInactivityDays: number
  /** After so long executions lose their payload and their output. */
  executedExpirationMs: number
  /** From the deletion of a workspace to that of its events. */
  scheduledDeletionDays: number
}

/** Documents of a stream that are stored no longer: those with ids older than `before`. */
export interface Drop {
  stream: string
  before: Date
  reason: 'expired' | 'inactive'
}

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * DAY_MS)

/** Events from before are expired, in whichever stream they are. */
export const expiredBefore = (settings: RetentionSettings, now: Date): Date =>
  daysBefore(now, settings.retentionDays)

/** A workspace without an event since then is inactive. */
export const quietSince = (settings: RetentionSettings, now: Date): Date =>
  daysBefore(now, settings.workspaceInactivityDays)

/** Executions from before lose their payload and their output. */
export const strippedBefore = (settings: RetentionSettings, now: Date): Date =>
  new Date(now.getTime() - settings.executedExpirationMs)

/** The events of workspaces deleted before are deleted. */
export const deletedBefore = (settings: RetentionSettings, now: Date): Date =>
  daysBefore(now, settings.scheduledDeletionDays)

/**
 * What to drop of a stream. Only documents older than a date are named, never a whole stream: what is appended after
 * the stream was looked at is newer, so it stays. A stream that has lost its expired events may be small by that: ask
 * again with what is left. Streams of deleted workspaces only expire: their end has a date of its own.
 */
export function dropOf(
  summary: StreamSummary,
  workspaceIsDeleted: boolean,
  settings: RetentionSettings,
  now: Date,
): Drop {
  const { stream } = summary
  const expired = expiredBefore(settings, now)
  const quiet = quietSince(settings, now)
  const mayBePurged = stream !== PLATFORM_STREAM && !workspaceIsDeleted
  if (!(mayBePurged && isSmallAndQuiet(summary, settings, quiet)))
    return { stream, before: expired, reason: 'expired' }
  return { stream, before: later(quiet, expired), reason: 'inactive' }
}

const later = (one: Date, other: Date): Date => new Date(Math.max(one.getTime(), other.getTime()))

const isSmallAndQuiet = (
  { documents, newestAt }: StreamSummary,
  settings: RetentionSettings,
  quiet: Date,
): boolean => documents < settings.workspaceMaxEvents && newestAt !== undefined && newestAt < quiet
