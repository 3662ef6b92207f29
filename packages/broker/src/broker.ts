import type { EventRecord } from '@platform/contracts'
import { StoreError } from '@platform/kernel'

/**
 * The transport between services: a durable queue and best-effort announcements, two contracts that share no
 * connection pool.
 */
export interface Broker extends AsyncDisposable {
  readonly driver: string
  readonly queue: Queue
  readonly announcements: Announcements
  /** True when the outbox table is the queue itself, so that nothing has to be relayed. */
  readonly readsOutbox: boolean
  /** Where the relay writes; missing when the outbox table is the queue itself. */
  readonly relayTarget?: RelayTarget
  /** Rejects with BrokerError when the transport can't take or deliver messages. */
  ping(signal: AbortSignal): Promise<void>
}

/** News for every instance, best effort: nothing is announced that must not be lost; those who listen also poll. */
export interface Announcements {
  /** Tells all instances. `payload` is at most 7,000 bytes. */
  announce(topic: string, payload: string): Promise<void>
  /** Calls `handle` for each announcement of `topic`, and `onGap` when some may have been missed (connection lost). */
  listen(topic: string, handle: (payload: string) => void, onGap?: () => void): Promise<AsyncDisposable>
}

/** What is left of an event that a group asks to have brief; `readWhole` has the whole. */
export interface BriefRecord extends Pick<EventRecord, 'id' | 'type'> {
  readonly source: Pick<EventRecord['source'], 'workspaceId'>
}

/** True for an event of which all is there. */
export const isWhole = (event: BriefRecord): event is EventRecord => 'createdAt' in event

/** What a handler does with a batch: resolve when every event's work is committed, reject to get the batch again. */
export type BatchHandler = (events: EventRecord[]) => Promise<void>

/**
 * Durable delivery of committed events: each event reaches one instance of a group, at least once, in order per
 * workspace. Handlers are idempotent by event id. A failing batch is tried again with growing pauses, then event by
 * event; an event that fails alone `maxDeliveries` times goes to the dead letters with its reason and the rest goes
 * on.
 */
export interface Queue {
  /** Hands events to the transport; resolves when they are durable there. */
  publish(events: EventRecord[]): Promise<void>
  /** Consumes as one of the instances of `group`. Disposing stops after the batch in hand. */
  consume(group: string, handle: BatchHandler, options?: ConsumeOptions): Promise<AsyncDisposable>
}

export interface ConsumeOptions {
  maxBatch?: number
  maxDeliveries?: number
  /**
   * Types of which the handler takes a `BriefRecord` as well: where the transport can leave out what hardly ever is
   * looked at, it need not be sent and parsed.
   */
  briefTypes?: readonly string[]
}

/** What a stream holds and how far its groups have come. A sequence counts the events of a stream from 1. */
export interface StreamState {
  /** Another one after the stream was made again. */
  streamId: string
  firstSequence: number
  lastSequence: number
  /** The last sequence that all groups have handled; 0 while there is no group, or one that hasn't seen this stream. */
  settledSequence: number
}

/**
 * The side of a queue that the relay uses. The relay is its only writer and writes the log in its one order without a
 * gap, so that a sequence always means the same event: a stream that lost its end gets exactly that end again.
 */
export interface RelayTarget {
  /** Makes the stream when it is missing. */
  state(): Promise<StreamState>
  /** The id of the event with this sequence. */
  eventAt(sequence: number): Promise<string | undefined>
  /** Appends; the first event gets the sequence after `afterSequence`. Rejects when the stream ends elsewhere. */
  append(events: readonly EventRecord[], afterSequence: number): Promise<void>
  /** Deletes the stream with its events and makes an empty one. */
  reset(): Promise<void>
}

/** Where this package reports what happened; a pino logger fits. */
export interface BrokerLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The database whose events a stream holds, and whether the operator has said that this one is meant. */
export interface KnownInstallation {
  id: string
  isMeant: boolean
}

/** The code of a BrokerError where the stream is that of another database. */
export const ANOTHER_INSTALLATION = 'ANOTHER_INSTALLATION'

/** What every broker driver throws. */
export class BrokerError extends StoreError {
  override readonly name = 'BrokerError'
}

/** The error of a store below as an error of the broker. */
export function toBrokerError(error: unknown): BrokerError {
  if (error instanceof BrokerError) return error
  if (error instanceof StoreError) {
    return new BrokerError(error.message, { cause: error, unavailable: error.unavailable, code: error.code })
  }
  return new BrokerError('The broker could not do its work.', { cause: error, unavailable: false })
}

/**
 * A handler of announcements whose errors are logged. Thrown into the connection that delivers, they would end the
 * process.
 */
export const notifySafely =
  (topic: string, handle: (payload: string) => void, log: BrokerLog) =>
  (payload: string): void => {
    try {
      handle(payload)
    } catch (error) {
      log.error({ topic, err: error }, 'announcement not handled')
    }
  }
