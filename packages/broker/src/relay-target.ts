import type { EventRecord } from '@platform/contracts'

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
  /** Throws the stream away with all it holds and makes an empty one. */
  reset(): Promise<void>
}
