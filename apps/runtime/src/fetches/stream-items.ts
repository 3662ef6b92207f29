import { EventStreamItems } from './event-stream-items.ts'
import { LineItems, TextItems } from './text-items.ts'

/** What `repeat` and events get of a stream for one piece of it. */
export interface StreamItem {
  readonly chunk: unknown
}

/** Makes items of the bytes of an answer as they come in. */
export interface StreamItems {
  /** Answers false for a piece that is longer than one may be: nothing can be read behind it. */
  feed(bytes: Uint8Array): boolean
  /** What came last counts although nothing ends it. */
  end(): boolean
  readonly isEmpty: boolean
  /** The next items, so many at most. */
  take(most: number): StreamItem[]
}

/** Which answers are read while they come: server-sent events alone, or lines of JSON and texts as well. */
export type ReadWhileItComes = 'events' | 'pieces'

/** Undefined for an answer that is read whole. */
export function itemsOf(contentType: string, what: ReadWhileItComes): StreamItems | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/event-stream') return new EventStreamItems()
  if (what === 'events') return undefined
  if (/^application\/(x-)?(ndjson|jsonlines|jsonl|json-lines)$/.test(type)) return new LineItems()
  return type === 'text/plain' ? new TextItems() : undefined
}
