import {
  type EventOptions,
  type EventRecord,
  type EventSource,
  type EventTarget,
  nativeEvents,
} from '@platform/contracts'
import { uuidv7 } from '@platform/kernel'

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

/** The record of a new event, as it is stored and as callers get it. `source` is taken as it is. */
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

/** The size of an event: UTF-16 length of the JSON text of type, payload, target and options. */
export const eventSize = (event: {
  type: string
  payload: unknown
  target?: EventTarget | undefined
  options?: EventOptions | undefined
}): number =>
  JSON.stringify({ type: event.type, payload: event.payload, target: event.target, options: event.options })
    .length

/**
 * Returns the record. Throws when it is a native event whose payload is not what its contract says: such a mistake of
 * the platform is to be seen where it was made, not where the event is read.
 */
export function checkNative(record: EventRecord): EventRecord {
  const parsed = nativeEvents.get(record.type)?.payload.safeParse(record.payload)
  if (parsed === undefined || parsed.success) return record
  // The paths only: values may be secrets.
  const paths = parsed.error.issues.map(({ path }) => path.join('.') || 'payload')
  throw new TypeError(`The payload of a "${record.type}" does not keep its contract: ${paths.join(', ')}.`)
}
