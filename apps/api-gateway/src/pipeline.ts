import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { authenticated, interactiveUser } from '@platform/auth'
import { refuseAmbiguous, sendFailure, setRequestState } from '@platform/http'
import { Failure, StoreBudget, withStoreBudget } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { tracer } from '@platform/tracing'
import { traceForwarding } from './accounting.ts'
import { admitTokens } from './admission/admit-tokens.ts'
import { canonicalPath, requireReadableQuery } from './admission/canonical-path.ts'
import { Exchange, type ExchangeSettings, type Step } from './exchange.ts'
import type { CompiledRoute, MatchRoute } from './forwarding/route-table.ts'
import { changeRequest } from './versions/versioned-request.ts'

/** The parts of the pipeline that are made elsewhere. */
export interface PipelineDeps {
  log: Logger
  settings: ExchangeSettings
  /** Counts and logs the request when it is over. */
  account: (exchange: Exchange) => void
  admitPage: Step
  matchRoute: MatchRoute
  chooseVersion: (exchange: Exchange) => void
  identify: Step
  refuseForgedRequest: Step
  forward: (exchange: Exchange, route: CompiledRoute) => void
  /** True when the request was a handshake and is dealt with. */
  takeUpgrade: (exchange: Exchange) => boolean
  refuse: (exchange: Exchange, error: unknown) => void
}

/** What happens to a request, in this order. `app` has the gateway's own routes; nothing else enters Express. */
const steps = (deps: PipelineDeps, app: RequestListener): Step[] => [
  ({ request, response }) => refuseAmbiguous(request, response), // bytes that are no honest HTTP
  deps.admitPage, //                           what pages of other origins may read
  locate(deps), //                             one canonical path, its version, its line in the route table
  deps.identify, //                            credential → caller, where there is one
  deps.refuseForgedRequest, //                 changes authenticated by cookie
  admitTokens, //                              what people do themselves, and what no scope stands for
  requireCaller, //                            where every operation needs a credential
  changeRequest, //                            another version's body → v2's
  respond(deps, app), //                       forward, with the identity set by us; or the gateway's own routes
]

/** Joins the steps to a request listener. */
export function pipeline(deps: PipelineDeps, app: RequestListener): RequestListener {
  const list = steps(deps, app)
  const runFrom = (exchange: Exchange, start: number): void | Promise<void> => {
    for (let index = start; index < list.length; index += 1) {
      const pending = list[index]?.(exchange)
      if (pending === undefined) continue
      return pending === 'answered' ? undefined : pending.then(() => runFrom(exchange, index + 1))
    }
    return undefined
  }
  const run = (exchange: Exchange): void | Promise<void> =>
    exchange.span === undefined || tracer === undefined
      ? runFrom(exchange, 0)
      : tracer.within(exchange.span, () => runFrom(exchange, 0))
  return (request: IncomingMessage, response: ServerResponse) => {
    const exchange = new Exchange(request, response, deps.log)
    exchange.begin(deps.settings)
    deps.account(exchange)
    try {
      run(exchange)?.catch((error: unknown) => deps.refuse(exchange, error))
    } catch (error) {
      deps.refuse(exchange, error)
    }
  }
}

const locate =
  (deps: PipelineDeps): Step =>
  (exchange) => {
    const url = exchange.request.url ?? '/'
    const question = url.indexOf('?')
    exchange.path = canonicalPath(question < 0 ? url : url.slice(0, question))
    exchange.search = question < 0 ? '' : url.slice(question)
    requireReadableQuery(exchange.search)
    deps.chooseVersion(exchange)
    const forwarding = deps.matchRoute(exchange.path)
    exchange.forwarding = forwarding
    if (forwarding === undefined) return
    exchange.route = forwarding.path
    exchange.deadlineAt = exchange.startedAt + forwarding.timeoutMs
  }

const requireCaller: Step = ({ forwarding, principal, isSafe }) => {
  if (forwarding?.access !== 'required') return
  authenticated(principal)
  if (forwarding.interactiveWrites && !isSafe) interactiveUser(principal)
}

const respond =
  (deps: PipelineDeps, app: RequestListener): Step =>
  (exchange) => {
    if (exchange.request.headers.upgrade !== undefined && deps.takeUpgrade(exchange)) return undefined
    if (exchange.forwarding !== undefined) {
      if (exchange.span !== undefined) traceForwarding(exchange)
      return deps.forward(exchange, exchange.forwarding)
    }
    exchange.request.url = exchange.path + exchange.search
    exchange.requireHttps()
    setRequestState(exchange.request, exchange)
    withStoreBudget(new StoreBudget(exchange.storeBudgetMs), () => app(exchange.request, exchange.response))
    return undefined
  }

/** Responds to a request that ended in an error, in the one error shape. */
export const refuse =
  ({ forgetCookie }: { forgetCookie: (response: ServerResponse) => void }) =>
  (exchange: Exchange, error: unknown): void => {
    const { response, log, correlationId } = exchange
    exchange.requireHttps()
    if (error instanceof Failure && !response.headersSent) {
      // A browser can't drop the cookie by itself, and would be refused even where it needs no credential.
      if (error.name === 'AuthenticationError' && exchange.byCookie) forgetCookie(response)
    }
    sendFailure(response, error, log, correlationId)
  }
