import { DISTINCT_MAX } from '../aggregation.ts'
import { SearchError } from '../search.ts'
import type { TemplateOptions } from './template.ts'

export interface StoreRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string | number | boolean>
  body?: unknown
  /** Lines of JSON, for `_bulk`. */
  lines?: readonly string[]
  timeoutMs: number
}

export interface StoreResponse<Body> {
  status: number
  body: Body
}

/**
 * The search store, asked by HTTP. Rejects with SearchError `unavailable`; what it refuses comes back with its
 * status.
 */
export type Store = <Body>(request: StoreRequest) => Promise<StoreResponse<Body>>

interface StoreFault {
  type?: string
  reason?: string
  root_cause?: StoreFault[]
}

const faultOf = (body: unknown): StoreFault => {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: string | StoreFault }
  if (typeof error === 'string') return { reason: error }
  return error?.root_cause?.[0] ?? error ?? {}
}

export const reasonOf = (body: unknown): string => faultOf(body).reason ?? 'no reason given'
export const nameOf = (body: unknown): string | undefined => faultOf(body).type

/** Busy, read-only, closed to us, or down: another time the same request may succeed. */
export const isAway = (status: number): boolean =>
  status === 401 || status === 403 || status === 429 || status >= 500

/** The body of a response that must not be a refusal, except for the statuses named. */
export function bodyOf<Body>({ status, body }: StoreResponse<Body>, ...accepted: number[]): Body {
  if (status < 400 || accepted.includes(status)) return body
  const code = nameOf(body)
  const isTooMuch = code === 'too_many_buckets_exception'
  throw new SearchError(`The search store refuses the request: ${reasonOf(body)}`, {
    unavailable: false,
    code: isTooMuch ? 'TOO_MANY_VALUES' : code,
  })
}

export const tooManyValues = (what: string): SearchError =>
  new SearchError(`There are more than ${DISTINCT_MAX} different values ${what}: narrow the filter.`, {
    unavailable: false,
    code: 'TOO_MANY_VALUES',
  })

/** Code of the error after which what was installed is made anew at once, and all is sent again. */
export const WIPED = 'STORE_WIPED'

export interface IndexLog {
  info(message: string): void
}

/** What every operation on the index needs. */
export interface IndexContext {
  store: Store
  template: TemplateOptions
  log: IndexLog
}

/** Deadlines of single requests (ms). */
export const SEARCH_MS = 5000
export const BULK_MS = 10_000
export const ADMIN_MS = 10_000
export const SLOW_MS = 60_000
