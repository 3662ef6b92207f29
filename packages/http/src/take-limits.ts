import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@platform/auth'
import { type LimitName, type LimitSubject, type RateLimit, rateLimits } from '@platform/contracts'
import { setLimitHeaders, showLimit, TooManyRequests } from './limit-state.ts'
import { requestState } from './request-state.ts'
import { toFailure } from './respond.ts'
import type { Route } from './route.ts'
import type { LimitState, RouteServices } from './route-services.ts'

/** One request of a route, as its steps pass it on. */
export interface RequestContext {
  services: RouteServices
  request: IncomingMessage
  response: ServerResponse
  params: Readonly<Record<string, string>>
  /** True when the body was read and `admit` of the route has let the caller in; before that anybody may have come. */
  isAdmitted: boolean
  /** What the request has used so far. */
  readonly taken: Taken[]
}

interface Taken {
  limit: RateLimit
  key: string
  points: number
  /** Where the caller stood then. */
  state: LimitState
}

/**
 * Takes one use of each limit of the contract, in its order, then does the work; limits whose `per` is `handler` are
 * left to the handler. The response, whatever it is, shows the limit with the least left. A use that turns out not to
 * count is given back. Throws TooManyRequests.
 */
export async function withLimits(
  contract: Route['contract'],
  context: RequestContext,
  work: () => Promise<void>,
): Promise<void> {
  if (contract.limits === undefined || context.services.rateLimiter === undefined) return work()
  try {
    for (const name of contract.limits) {
      const limit: RateLimit = rateLimits[name]
      if (limit.per !== 'handler') await take(limit, await keyOf(limit.per, context), 1, context)
    }
    await work()
  } catch (error) {
    giveBack(context, ({ limit }) => countsNothing(limit, context, error))
    throw error
  }
}

function countsNothing({ per, counts }: RateLimit, context: RequestContext, error: unknown): boolean {
  // Callers without a right to the workspace must not use up its limit, nor must bodies that were not read whole.
  if (per === 'workspace' && !context.isAdmitted) return true
  if (counts === undefined) return false
  const { status } = toFailure(error)
  // After any other error it is not known whether something was made.
  return counts === 'created' ? status < 500 : malformed.has(status)
}

/** Refusals of a request for its form, its length or its type. */
const malformed: ReadonlySet<number> = new Set([400, 413, 415])

/** Gives back what a replayed response took: it makes nothing. To be called before its headers are sent. */
export function noteReplay(context: RequestContext): void {
  giveBack(context, ({ limit }) => limit.counts !== undefined)
}

/** The response shows where the caller stands after it. */
function giveBack({ services, response, taken }: RequestContext, isFree: (taken: Taken) => boolean): void {
  for (const one of taken.splice(0)) {
    if (!isFree(one)) continue
    const { limit, key, points, state } = one
    services.rateLimiter?.giveBack(limit, key, points)
    const isShown = response.getHeader('ratelimit-policy')?.toString().startsWith(`"${limit.name}"`) === true
    if (isShown && !response.headersSent)
      setLimitHeaders(response, { ...state, remaining: state.remaining + points })
  }
}

/** Takes uses of a limit for what a handler found out; see RequestInfo.takeLimit. */
export const takeLimit = (
  name: LimitName,
  key: string,
  points: number,
  context: RequestContext,
): Promise<void> => take(rateLimits[name], key, points, context)

async function take(limit: RateLimit, key: string, points: number, context: RequestContext): Promise<void> {
  const state = await context.services.rateLimiter?.take(limit, key, points)
  if (state === undefined) return
  refuseOver(state)
  context.taken.push({ limit, key, points, state })
  showLimit(context.response, state)
}

/** Throws TooManyRequests for a state that is over its limit. */
export function refuseOver(state: LimitState | undefined): void {
  if (state !== undefined && state.remaining < 0) throw new TooManyRequests(state)
}

async function keyOf(per: Exclude<LimitSubject, 'handler'>, context: RequestContext): Promise<string> {
  const { clientIp, principal } = requestState(context.request)
  if (per === 'address') return clientIp
  if (per === 'caller') return callerKey(principal) ?? clientIp
  const address = context.params.workspaceId ?? ''
  // The two addresses of a workspace, its id and `slug:<slug>`, share one limit.
  return (await context.services.workspaceIdOf?.(address)) ?? address
}

/** Whose use of a limit counts: the user, else the API key; undefined where only the address is known. */
export const callerKey = (principal: Principal | undefined): string | undefined => {
  if (principal?.kind === 'user') return principal.userId
  if (principal?.kind === 'workspace') return principal.workspaceId
  return principal?.kind === 'apiKey' ? principal.apiKeyId : undefined
}
