import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IdempotencyStore } from './idempotency-store.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** What routes share by contract: who counts limits and who remembers answers. What is absent is switched off. */
export interface RouteServices {
  rateLimiter?: RateLimiter
  /** The id behind the address of a workspace in a path, from a cache; undefined when there is none. */
  workspaceIdOf?: (address: string) => Promise<string | undefined> | string | undefined
  idempotency?: IdempotencyStore
  /** Answers a request for what is not there by itself; false leaves it to the error body. `path` is the whole one. */
  showMissing?: (request: IncomingMessage, response: ServerResponse, path: string) => boolean
}
