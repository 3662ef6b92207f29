import { z } from 'zod'
import { limits } from './limits.ts'

const wholeNumber = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n <= max, `must be at most ${max}`)

/** Query of core lists: `page` from 0 and `limit`. */
export const paging = {
  page: wholeNumber(100_000).default(0).meta({ description: 'Page, counted from 0.', maximum: 100_000 }),
  limit: wholeNumber(limits.pageMax)
    .refine((n) => n > 0, 'must be at least 1')
    .default(limits.pageDefault)
    .meta({
      description: 'Entries of a page.',
      minimum: 1,
      maximum: limits.pageMax,
    }),
}

/** The same with the default of the events list. */
export const eventPaging = {
  page: paging.page,
  limit: wholeNumber(limits.pageMax)
    .refine((n) => n > 0, 'must be at least 1')
    .default(limits.eventPageDefault)
    .meta({
      description: 'Events of a page.',
      minimum: 1,
      maximum: limits.pageMax,
    }),
}
