import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import type { Authentication, Principal, RunTokenClaims } from '@platform/auth'
import { correlationIdOf, type RequestState } from '@platform/http'
import type { IdentifiedRequest } from '@platform/identity'
import { STORE_BUDGET_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Span } from '@platform/tracing'
import type { CompiledRoute } from './forwarding/route-table.ts'
import { ResponseWrapper } from './response-wrapper.ts'
import type { VersionedCall } from './versions/versioned-call.ts'

/**
 * One thing done with a request. Throwing ends it with an error response, 'answered' without; a promise is waited for.
 */
export type Step = (exchange: Exchange) => void | 'answered' | Promise<void>

/** What the gateway is set to. */
export interface ExchangeSettings {
  trustedProxyHops: number
  gatewayTimeoutMs: number
  /** Sent with every response where the API is https. */
  strictTransport: string | undefined
}

/** A credential that took no longer than this was no wait for a database. */
const QUICK_MS = 100

/**
 * One request on its way through the pipeline: what the steps learn about it, and what later steps and the app read.
 */
export class Exchange implements RequestState, IdentifiedRequest {
  /** Replaced when another version's body was changed into that of v2. */
  request: IncomingMessage
  readonly response: ServerResponse
  readonly log: Logger
  readonly startedAt = Date.now()
  correlationId = ''
  clientIp = ''
  deadlineAt = 0
  /** Milliseconds the credential was waited for. */
  credentialMs = 0
  /** The canonical path, without the query. */
  path = '/'
  /** The query as it arrived, with its question mark; empty without one. */
  search = ''
  /** Where the request is forwarded to; undefined for a path of the gateway itself. */
  forwarding: CompiledRoute | undefined = undefined
  /** Set when another version is asked for than the newest v2, whose path and query are above. */
  version: VersionedCall | undefined = undefined
  authentication: Authentication | undefined = undefined
  principal: Principal | undefined = undefined
  /** What the token of a run says that the request comes from. */
  run: RunTokenClaims | undefined = undefined
  /** True when the caller was found by the cookie. */
  byCookie = false
  /** True when the Authorization header is a credential of the sender's own, meant for the service. */
  foreignBearer = false
  /** Value of Strict-Transport-Security, where the API is https. */
  strictTransport: string | undefined = undefined
  /** Pattern of the route that responds, for the log line. */
  route: string | undefined = undefined
  /** Origin of the instance it was forwarded to, for the log line. */
  upstream: string | undefined = undefined
  /** Bytes the connection had sent before. */
  sentBefore = 0
  /** While traces are sent: the whole request, and the part of it that a service takes. */
  span: Span | undefined = undefined
  upstreamSpan: Span | undefined = undefined
  #wrapper: ResponseWrapper | undefined = undefined
  /** Called when the client is gone before the response was complete. */
  onAbandoned: { abandon(): void } | undefined = undefined

  constructor(request: IncomingMessage, response: ServerResponse, log: Logger) {
    this.request = request
    this.response = response
    this.log = log
  }

  /** Finds out what the request is called, who sent it and until when it waits. */
  begin({ trustedProxyHops, gatewayTimeoutMs, strictTransport }: ExchangeSettings): void {
    const { headers } = this.request
    this.correlationId = correlationIdOf(headers['x-correlation-id'], headers.traceparent)
    this.clientIp = clientIpOf(this.request, trustedProxyHops)
    this.deadlineAt = this.startedAt + gatewayTimeoutMs
    this.strictTransport = strictTransport
  }

  /** False for methods that may change something. */
  get isSafe(): boolean {
    const { method } = this.request
    return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
  }

  /** Milliseconds that are left of the request's budget of waiting for databases; undefined for all of it. */
  get storeBudgetMs(): number | undefined {
    const { credentialMs } = this
    return credentialMs <= QUICK_MS ? undefined : Math.max(0, Math.floor(STORE_BUDGET_MS - credentialMs))
  }

  /** Through which the response is written, where something of it is to be changed. */
  get wrapper(): ResponseWrapper {
    this.#wrapper ??= new ResponseWrapper(this.response)
    return this.#wrapper
  }

  /** Tells browsers to come by https only, in a response of the gateway's own. */
  requireHttps(): void {
    if (this.strictTransport !== undefined && !this.response.headersSent)
      this.response.setHeader('strict-transport-security', this.strictTransport)
  }
}

const MAPPED = '::ffff:'
/** An address as some proxies write it: with the port of the connection, IPv6 in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * The address of the client. Each trusted proxy in front has added one entry to X-Forwarded-For; what stands before
 * those is the client's own writing and is not believed.
 */
export function clientIpOf(request: IncomingMessage, trustedProxyHops: number): string {
  const forwarded =
    trustedProxyHops === 0 ? undefined : entryOf(request.headers['x-forwarded-for'], trustedProxyHops)
  const address = forwarded ?? request.socket.remoteAddress ?? ''
  return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address
}

function entryOf(header: string | string[] | undefined, hops: number): string | undefined {
  const entries = String(header ?? '').split(',')
  const entry = entries[entries.length - hops]?.trim() ?? ''
  const [, bracketed, beforePort] = WITH_PORT.exec(entry) ?? []
  // The port is left out: with it, each connection would count as another client.
  const address = bracketed ?? beforePort ?? entry
  return isIP(address) === 0 ? undefined : address
}
