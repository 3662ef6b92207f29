import { isDateValue } from './date-value.ts'

const longestDate = 100
// The furthest instants a JavaScript date can hold.
const furthest = 8_640_000_000_000_000

/** Milliseconds since 1970 of a timestamp, a date as data or a text; NaN when it is no date. */
export function readInstant(value: unknown): number {
  const ts = instantOf(value)
  return Math.abs(ts) <= furthest ? Math.trunc(ts) : Number.NaN
}

function instantOf(value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return parseText(value.trim())
  if (value instanceof Date) return value.getTime()
  return isDateValue(value) ? value.ts : Number.NaN
}

// A text without a zone is UTC: what a date means must not depend on the machine.
function parseText(text: string): number {
  if (text.length > longestDate) return Number.NaN
  if (/^-?\d{9,}$/.test(text)) return Number(text)
  const local = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)$/.exec(text)
  if (local !== null) return Date.parse(`${local[1]}T${local[2]?.replace(',', '.')}Z`)
  if (/^\d{4}/.test(text) || /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2}|\([^)]*\))$/i.test(text)) return parseIso(text)
  return Date.parse(`${text} UTC`)
}

function parseIso(text: string): number {
  const isDateOnly = /^\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?$/.test(text)
  if (!isDateOnly) return Date.parse(text)
  const [year, month, day] = text.split(/[-/]/).map(Number)
  const ts = Date.UTC(year ?? Number.NaN, (month ?? 1) - 1, day ?? 1)
  return new Date(ts).getUTCMonth() === (month ?? 1) - 1 ? ts : Number.NaN
}
