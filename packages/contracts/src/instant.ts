import { z } from 'zod'

const FIRST = Date.parse('0001-01-01T00:00:00Z')
const END = Date.parse('9999-12-31T00:00:00Z')

/**
 * An instant in ISO 8601 with its offset, in years of four digits. Others can be written, with an offset even past
 * the year 9999, but neither stored everywhere nor answered in the same form again.
 */
export const instant = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) < FIRST || Date.parse(text) > END), 'must be in the years 1 to 9998')
