import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { authenticated, interactiveUser } from '@platform/auth'
import { correlationIdOf, refuseAmbiguous, setRequestState } from '@platform/http'
import type { Logger } from '@platform/logging'
import { accounting } from './account.ts'
import { refuseAccessToken } from './callers/refuse-access-token.ts'
import { refuseThirdParty } from './callers/refuse-third-party.ts'
import { canonicalPath } from './canonical-path.ts'
import { clientIpOf } from './client-ip.ts'
import { Exchange } from './exchange.ts'
import { type CompiledRoute, matchRoute } from './forwarding/route-table.ts'
import { requireReadableQuery } from './readable-query.ts'

/** One thing done with a request. Throwing ends it with an error answer; a promise is waited for. */
export type Step = (exchange: Exchange) => void | Promise<void>

/** The parts of the pipeline that are made elsewhere. */
export interface PipelineDeps {
  log: Logger
  trustedProxyHops: number
  gatewayTimeoutMs: number
  routes: readonly CompiledRoute[]
  checkVersion: (path: string) => void
  identify: Step
  refuseForgedRequest: Step
  forward: Step
  refuse: (exchange: Exchange, error: unknown) => void
}

/** What happens to a request, in this order. `app` answers what the gateway answers itself; nothing else enters Express. */
const steps = (deps: PipelineDeps, app: RequestListener): Step[] => [
  correlate(deps),
  ({ request }) => refuseAmbiguous(request), // bytes that are no honest HTTP
  locate(deps), //                             one canonical path, its version, its line in the route table
  deps.identify, //                            credential → caller, or nobody
  deps.refuseForgedRequest, //                 changes authenticated by cookie
  refuseAccessToken, //                        accounts and sign-ins are changed by people
  refuseThirdParty, //                         what no scope of an application covers
  requireCaller, //                            the access column of the route table
  answer(deps, app), //                        forward, with the identity set by us; or the gateway's own routes
]

/** Joins the steps to a request listener. */
export function pipeline(deps: PipelineDeps, app: RequestListener): RequestListener {
  const list = steps(deps, app)
  const account = accounting(deps.log)
  const runFrom = (exchange: Exchange, start: number): void | Promise<void> => {
    for (let index = start; index < list.length; index += 1) {
      const pending = list[index]?.(exchange)
      if (pending !== undefined) return pending.then(() => runFrom(exchange, index + 1))
    }
    return undefined
  }
  return (request: IncomingMessage, response: ServerResponse) => {
    const exchange = new Exchange(request, response, deps.log)
    account(exchange)
    try {
      runFrom(exchange, 0)?.catch((error: unknown) => deps.refuse(exchange, error))
    } catch (error) {
      deps.refuse(exchange, error)
    }
  }
}

const correlate =
  (deps: PipelineDeps): Step =>
  (exchange) => {
    const { headers } = exchange.request
    exchange.correlationId = correlationIdOf(headers['x-correlation-id'], headers.traceparent)
    exchange.clientIp = clientIpOf(exchange.request, deps.trustedProxyHops)
    exchange.deadlineAt = exchange.startedAt + deps.gatewayTimeoutMs
  }

const locate =
  (deps: PipelineDeps): Step =>
  (exchange) => {
    const url = exchange.request.url ?? '/'
    const question = url.indexOf('?')
    exchange.path = canonicalPath(question < 0 ? url : url.slice(0, question))
    exchange.search = question < 0 ? '' : url.slice(question)
    requireReadableQuery(exchange.search)
    deps.checkVersion(exchange.path)
    exchange.forwarding = matchRoute(deps.routes, exchange.path)
    exchange.route = exchange.forwarding?.path
  }

const requireCaller: Step = ({ forwarding, principal, isSafe }) => {
  if (forwarding === undefined || forwarding.access === 'optional') return
  authenticated(principal)
  if (forwarding.interactiveWrites && !isSafe) interactiveUser(principal)
}

const answer =
  (deps: PipelineDeps, app: RequestListener): Step =>
  (exchange) => {
    if (exchange.forwarding !== undefined) return deps.forward(exchange)
    exchange.request.url = exchange.path + exchange.search
    setRequestState(exchange.request, exchange)
    app(exchange.request, exchange.response)
    return undefined
  }
