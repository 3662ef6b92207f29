import type { EventOptions, EventRecord, EventSource, EventTarget } from '@platform/contracts'
import { uuidv7 } from '@platform/kernel'
import { eventSize } from './event-size.ts'

/** What an event is made of; the rest of its record is filled in. */
export interface EventParts {
  type: string
  payload: unknown
  source: EventSource
  target?: EventTarget | undefined
  options?: EventOptions | undefined
  /** A UUIDv7; given where work done again must not double the event (`derivedUuidv7`). */
  id?: string | undefined
  /** Now, unless given. ISO 8601. */
  createdAt?: string | undefined
}

/** The record of a new event, as it is stored and answered (decisions F1). `source` is taken as it is. */
export function buildRecord(parts: EventParts): EventRecord {
  const { type, source, target, options } = parts
  // JSON has no undefined; a missing payload would otherwise vanish from the record.
  const payload = parts.payload ?? null
  return {
    id: parts.id ?? uuidv7(),
    type,
    source,
    payload,
    ...(target === undefined ? {} : { target }),
    ...(options === undefined ? {} : { options }),
    createdAt: parts.createdAt ?? new Date().toISOString(),
    size: eventSize({ type, payload, target, options }),
  }
}
