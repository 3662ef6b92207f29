import type { IdempotencyStore } from './idempotency-store.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** What routes share by contract: who counts limits and who remembers answers. What is absent is switched off. */
export interface RouteServices {
  rateLimiter?: RateLimiter
  /** The id behind the address of a workspace in a path, from a cache; undefined when there is none. */
  workspaceIdOf?: (address: string) => Promise<string | undefined> | string | undefined
  idempotency?: IdempotencyStore
}
