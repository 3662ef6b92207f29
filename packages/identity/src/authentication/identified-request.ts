import type { IncomingMessage } from 'node:http'
import type { Authentication, Principal, RunTokenClaims } from '@platform/auth'

/** A request as far as identity looks at it, and what it finds out about who calls. */
export interface IdentifiedRequest {
  readonly request: IncomingMessage
  readonly clientIp: string
  readonly correlationId: string
  /** Unix milliseconds. */
  readonly startedAt: number
  /** The canonical path, without the query. */
  readonly path: string
  /** False for methods that may change something. */
  readonly isSafe: boolean
  /** How it is forwarded; undefined for what the gateway answers itself. */
  readonly forwarding: ForwardingRules | undefined
  authentication: Authentication | undefined
  principal: Principal | undefined
  /** What the token of a run says that the request comes from. */
  run: RunTokenClaims | undefined
  /** True when the caller was found by the cookie. */
  byCookie: boolean
  /** True when the Authorization header is the sender's own business: a receiver is called from elsewhere. */
  foreignBearer: boolean
  /** Milliseconds the credential was waited for. */
  credentialMs: number
}

/** What identity needs to know of a line in the route table. */
export interface ForwardingRules {
  /** Takes calls from elsewhere, with credentials that are not ours. */
  readonly receiver: boolean
}
