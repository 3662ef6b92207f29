import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Admission, Principal } from '@platform/auth'
import type { Permission, RateLimit } from '@platform/contracts'

/** What routes share by contract: the rate limiter and the store of responses. What is absent is switched off. */
export interface RouteServices {
  rateLimiter?: RateLimiter
  /** The id behind the address of a workspace in a path, from a cache; undefined when there is none. */
  workspaceIdOf?: (address: string) => Promise<string | undefined> | string | undefined
  idempotency?: IdempotencyStore
  /** Decides the permission questions of contracts; a service without one has no route that asks. */
  permissions?: {
    require(
      principal: Principal | undefined,
      action: Permission['action'],
      resource: { type: Permission['on']; workspace: string },
    ): Promise<Admission>
  }
  /** Responds to a request for a path that does not exist; false leaves it to the error body. `path` is whole. */
  showMissing?: (request: IncomingMessage, response: ServerResponse, path: string) => boolean
}

/** Where a caller stands after one use of a limit. */
export interface LimitState {
  /** The limit as it is configured. */
  limit: RateLimit
  /** Uses left before the limit is over; negative means that this one was too many. */
  remaining: number
  /** Whole seconds, at least 1, until there is room again. */
  resetSeconds: number
}

/** Counts what callers use of their limits. Implemented by packages/rate-limits. */
export interface RateLimiter {
  /**
   * Takes `points` uses (1 without) for `key` and answers where the caller stands; undefined when limits are switched
   * off. `key` is the id of a user, a key or a workspace, or an address; IPv6 addresses of one network count
   * together. Never rejects because a store is down: the process then counts for itself.
   */
  take(limit: RateLimit, key: string, points?: number): Promise<LimitState | undefined>
  /** Gives uses back that turned out not to count, within the window they were taken in. */
  giveBack(limit: RateLimit, key: string, points?: number): void
}

/** One request that carries an `Idempotency-Key`. */
export interface KeyedRequest {
  /** Service and caller: two callers may use the same key for different things. */
  scope: string
  key: string
  /** SHA-256 over scope, key, method, path, query and body, hexadecimal. */
  fingerprint: string
}

/** What is stored of a response. */
export interface StoredResponse {
  status: number
  headers: Record<string, string>
  /** JSON text; for answers with a secret only the `_id` of the record. */
  body: string
}

/**
 * The state of a key: `begun` means that this request is the first and now owns it. `owner` is a UUIDv7 of the first
 * one.
 */
export type KeyState =
  | { state: 'begun'; owner: string }
  | { state: 'running'; owner: string }
  /** How the first request ended is not known: the process died, or its response could not be stored. */
  | { state: 'unknown'; owner: string }
  | { state: 'other-request' }
  | { state: 'answered'; answer: StoredResponse; secret: boolean }

/** Stores responses for 24 h. Implemented by packages/idempotency on PostgreSQL. */
export interface IdempotencyStore {
  /** Claims a key, or answers its state. */
  begin(request: KeyedRequest, deadlineAt: number): Promise<KeyState>
  /** Stores the response of the request that owns the key. */
  keep(request: KeyedRequest, owner: string, answer: StoredResponse, secret: boolean): Promise<void>
  /** Notes that it is not known what the request has done: the key is never run again. */
  doubt(request: KeyedRequest, owner: string): Promise<void>
  /** Gives the key back: the request was refused and did nothing, so the next try may be another. */
  release(request: KeyedRequest, owner: string): Promise<void>
}
