import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, Principal } from '@platform/auth'
import type { RequestState } from '@platform/http'
import type { Logger } from '@platform/logging'
import type { CompiledRoute } from './forwarding/route-table.ts'

/** One request on its way through the pipeline: what the steps learn about it, and what later steps and the app read. */
export class Exchange implements RequestState {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly log: Logger
  readonly startedAt = Date.now()
  correlationId = ''
  clientIp = ''
  deadlineAt = 0
  /** The canonical path, without the query. */
  path = '/'
  /** The query as it arrived, with its question mark; empty without one. */
  search = ''
  /** Where the request is forwarded to; undefined for what the gateway answers itself. */
  forwarding: CompiledRoute | undefined = undefined
  caller: Caller | undefined = undefined
  principal: Principal | undefined = undefined
  /** True when the caller was found by the cookie. */
  byCookie = false
  /** True when the Authorization header is the sender's own business (decisions I6). */
  foreignBearer = false
  /** Pattern of the route that answers, for the log line. */
  route: string | undefined = undefined
  /** Called when the client is gone before the answer was complete. */
  onAbandoned: { abandon(): void } | undefined = undefined

  constructor(request: IncomingMessage, response: ServerResponse, log: Logger) {
    this.request = request
    this.response = response
    this.log = log
  }

  /** False for methods that may change something. */
  get isSafe(): boolean {
    const { method } = this.request
    return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
  }
}
