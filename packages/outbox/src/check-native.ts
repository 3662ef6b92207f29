import { type EventRecord, nativeEvents } from '@platform/contracts'

/**
 * Answers the record. Throws when it is a native event whose payload is not what its contract says: that is a mistake
 * of the platform, which is to be seen where it was made and not where the event is read.
 */
export function checkNative(record: EventRecord): EventRecord {
  const parsed = nativeEvents.get(record.type)?.payload.safeParse(record.payload)
  if (parsed === undefined || parsed.success) return record
  // The paths only: values may be secrets.
  const paths = parsed.error.issues.map(({ path }) => path.join('.') || 'payload')
  throw new TypeError(`The payload of a "${record.type}" does not keep its contract: ${paths.join(', ')}.`)
}
