import { z } from 'zod'

/** Up to seven digits, so that no unit makes more of it than a date can hold. */
const TEXT = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h|d)$/

/** Months and years are no units: they are not always as long. */
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span of time as automations write it: seconds, or a number with its unit. */
export const Duration = z
  .union([z.number().nonnegative(), z.string().regex(TEXT, 'must be a number with ms, s, m, h or d')])
  .describe('Seconds, or a number with ms, s, m, h or d.')

/** The milliseconds of a duration; undefined for what is none. A text of digits is seconds, as templates give them. */
export function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') return value >= 0 && Number.isFinite(value) ? value * 1000 : undefined
  if (typeof value !== 'string') return undefined
  if (/^\d{1,10}(?:\.\d{1,3})?$/.test(value)) return Number(value) * 1000
  const [, number, unit = ''] = TEXT.exec(value) ?? []
  return number === undefined ? undefined : Number(number) * (unitMs[unit] ?? Number.NaN)
}
