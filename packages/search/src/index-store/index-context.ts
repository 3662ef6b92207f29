import type { Store } from './store-request.ts'
import type { TemplateOptions } from './template.ts'

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
