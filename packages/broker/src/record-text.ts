import type { EventRecord } from '@platform/contracts'

/**
 * Where a record has its text: JSON and copies leave it out. Not a WeakMap: what stands in one outlives young
 * collections, and every event would be collected late (docs/adr/0084).
 */
const TEXT = Symbol('text of a record')

type Written = EventRecord & { readonly [TEXT]?: string }

/**
 * The JSON text of a record, written once for all who count, check or insert it: an event may hold much. A record never
 * changes; one with other fields is another record.
 */
export function recordText(record: EventRecord): string {
  const known = knownText(record)
  if (known !== undefined) return known
  const text = JSON.stringify(record)
  keepRecordText(record, text)
  return text
}

/** The same where somebody has written or read it. */
export const knownText = (record: EventRecord): string | undefined => (record as Written)[TEXT]

/** For who writes the parts of a record anyway, or has read it; the text must be what `JSON.stringify` makes of it. */
export function keepRecordText(record: EventRecord, text: string): EventRecord {
  return Object.defineProperty(record, TEXT, { value: text, configurable: true })
}
