import { AGGREGATION_DEPTH } from './aggregation.ts'
import { SearchError } from './search.ts'

/** A question that no driver answers. */
export const unsupported = (message: string): SearchError =>
  new SearchError(message, { unavailable: false, code: 'UNSUPPORTED' })

/** Throws where there are aggregations at a level that is too deep. */
export function requireDepth(depth: number, aggregations: object): void {
  if (depth >= AGGREGATION_DEPTH && Object.keys(aggregations).length > 0)
    throw unsupported(`Aggregations may nest ${AGGREGATION_DEPTH} levels deep; ask for fewer levels.`)
}

/** The length of a fixed interval. Throws SearchError for one that is none. */
export function fixedLengthOf(fixedMs: number): number {
  if (Number.isSafeInteger(fixedMs) && fixedMs > 0) return fixedMs
  throw unsupported('The length of an interval must be a whole number of milliseconds above 0.')
}

/** An offset such as `+02:00` as it is, an IANA zone by its name. Throws SearchError for any other text. */
export function timeZoneOf(timeZone = 'UTC'): string {
  if (/^[+-]\d\d:\d\d$/.test(timeZone)) return timeZone
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    throw unsupported(
      `The time zone "${timeZone.slice(0, 100)}" isn’t known; write it like Europe/Berlin or +02:00.`,
    )
  }
}
