import { invalidApiVersion } from './version-failures.ts'

const shape = /^\d{4}-\d{2}-\d{2}$/

const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10)

/**
 * The day whose behaviour is asked for, as X-Platform-API-Version says it. Throws InvalidApiVersion for what is no
 * day of the calendar, lies ahead of `now` (in UTC) or before the version was released.
 */
export function requestedDate(text: string, releasedOn: string, now: Date): string {
  if (!shape.test(text) || !isDay(text)) throw invalidApiVersion('must be one date as YYYY-MM-DD')
  if (text > dayOf(now)) throw invalidApiVersion('must not be in the future')
  if (text < releasedOn) throw invalidApiVersion(`must be ${releasedOn} or later, when this version began`)
  return text
}

/** Days that no month has are moved to the next one by Date. */
function isDay(text: string): boolean {
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && dayOf(parsed) === text
}
