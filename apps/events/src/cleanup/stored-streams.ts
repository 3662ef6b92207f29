import { eventStream, PLATFORM_STREAM } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Log, SearchIndex } from '@platform/search'
import type { RetentionSettings } from '../retention/retention.ts'
import type { DeletionStore } from './deletion-store.ts'

/** Where streams are kept, and what decides about them. */
export interface StoredStreams {
  log: Log
  /** A copy of the log, where one is configured. */
  index: SearchIndex | undefined
  deletions: DeletionStore
  settings: RetentionSettings
  clock: Clock
  /** Has the index copy a stream from the log again. */
  rebuildStream: (stream: string) => Promise<void>
  /** Forgets the figures of a workspace; they are counted from its events and kept no longer than these. */
  forgetUsage: (workspaceId: string) => Promise<void>
}

const PREFIX = eventStream('')

/** The workspace a stream belongs to; undefined for the stream of the platform. */
export const workspaceOf = (stream: string): string | undefined =>
  stream === PLATFORM_STREAM || !stream.startsWith(PREFIX) ? undefined : stream.slice(PREFIX.length)

/** Whether the log, which is the truth, has anything of a stream. */
export const isInLog = async (log: Pick<Log, 'find'>, stream: string): Promise<boolean> =>
  (await log.find(stream, { sort: 'desc', limit: 1 })).length > 0
