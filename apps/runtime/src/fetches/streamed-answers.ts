import { EventStreamItems } from './event-stream-items.ts'
import type { StreamItems } from './stream-items.ts'
import { LineItems, TextItems } from './text-items.ts'

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
