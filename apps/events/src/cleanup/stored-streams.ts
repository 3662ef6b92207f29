import { eventStream, PLATFORM_STREAM } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Log, SearchIndex } from '@platform/search'
import type { DeletionStore } from './deletion-store.ts'
import type { RetentionSettings } from './retention.ts'

/** Where streams are stored, and what decides about them. */
export interface StoredStreams {
  log: Log
  /** A copy of the log, where one is configured. */
  index: SearchIndex | undefined
  deletions: DeletionStore
  settings: RetentionSettings
  clock: Clock
  /** Has the index copy a stream from the log again. */
  rebuildStream: (stream: string) => Promise<void>
  /** Forgets the figures of a workspace; they are counted from its events and stored no longer than these. */
  forgetUsage: (workspaceId: string) => Promise<void>
}

const PREFIX = eventStream('')

/** The workspace a stream belongs to; undefined for the stream of the platform. */
export const workspaceOf = (stream: string): string | undefined =>
  stream === PLATFORM_STREAM || !stream.startsWith(PREFIX) ? undefined : stream.slice(PREFIX.length)

/** Whether the log, which is the truth, has anything of a stream. */
export const isInLog = async (log: Pick<Log, 'find'>, stream: string): Promise<boolean> =>
  (await log.find(stream, { sort: 'desc', limit: 1 })).length > 0

/**
 * On OpenSearch the events of a deleted workspace leave the index at once; the log has them until their days are
 * over.
 */
export const losesAtOnce = (index: SearchIndex | undefined): index is SearchIndex =>
  index?.driver === 'opensearch'

/** Finds which of the streams of the log an index does not have, because their workspaces are deleted. */
export const withheldFrom =
  (index: SearchIndex, { scheduledAmong }: Pick<DeletionStore, 'scheduledAmong'>) =>
  async (streams: readonly string[]): Promise<ReadonlySet<string>> => {
    if (!losesAtOnce(index)) return new Set()
    const deleted = await scheduledAmong(streams.flatMap((stream) => workspaceOf(stream) ?? []))
    return new Set([...deleted].map(eventStream))
  }
