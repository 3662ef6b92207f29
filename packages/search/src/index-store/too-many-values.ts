import { DISTINCT_MAX } from '../aggregation.ts'
import { SearchError } from '../search.ts'

export const tooManyValues = (what: string): SearchError =>
  new SearchError(`There are more than ${DISTINCT_MAX} different values ${what}: narrow the filter.`, {
    unavailable: false,
    code: 'TOO_MANY_VALUES',
  })

export const unsupported = (message: string): SearchError =>
  new SearchError(message, { unavailable: false, code: 'UNSUPPORTED' })

/** The order of texts in all drivers: by code points. */
export const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
