import type { EventRecord } from '@platform/contracts'

const texts = new WeakMap<EventRecord, string>()

/**
 * The JSON text of a record, written once for all who count, check or insert it: an event may hold much. A record never
 * changes; one with other fields is another record.
 */
export function recordText(record: EventRecord): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = JSON.stringify(record)
  texts.set(record, text)
  return text
}

/** The same where somebody has written or read it. */
export const knownText = (record: EventRecord): string | undefined => texts.get(record)

/** For who writes the parts of a record anyway, or has read it; the text must be what `JSON.stringify` makes of it. */
export function keepRecordText(record: EventRecord, text: string): EventRecord {
  texts.set(record, text)
  return record
}
