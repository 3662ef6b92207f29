import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@platform/auth'
import { type LimitName, type LimitSubject, type RateLimit, rateLimits } from '@platform/contracts'
import { setLimitHeaders, showLimit } from './limit-headers.ts'
import type { LimitState } from './rate-limiter.ts'
import { requestState } from './request-state.ts'
import { toFailure } from './respond.ts'
import type { Route } from './route.ts'
import type { RouteServices } from './route-services.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** A request on its way, and who counts. */
export interface LimitedVisit {
  services: RouteServices
  request: IncomingMessage
  response: ServerResponse
  params: Readonly<Record<string, string>>
  /** False until the body was read and `admit` of the route has let the caller in: so far anybody may have come. */
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
 * Takes one use of each limit of the contract, in its order, then does the work; limits that a handler takes are left
 * to it. The answer, whatever it will be, tells about the limit with the least left. What turns out not to count is
 * given back. Throws TooManyRequests.
 */
export async function withLimits(
  contract: Route['contract'],
  visit: LimitedVisit,
  work: () => Promise<void>,
): Promise<void> {
  if (contract.limits === undefined || visit.services.rateLimiter === undefined) return work()
  try {
    for (const name of contract.limits) {
      const limit: RateLimit = rateLimits[name]
      if (limit.per !== 'handler') await take(limit, await keyOf(limit.per, visit), 1, visit)
    }
    await work()
  } catch (error) {
    giveBack(visit, ({ limit }) => countsNothing(limit, visit, error))
    throw error
  }
}

function countsNothing({ per, counts }: RateLimit, visit: LimitedVisit, error: unknown): boolean {
  // Strangers must not be able to use up what belongs to a workspace, with bodies nobody reads to their end neither.
  if (per === 'workspace' && !visit.isAdmitted) return true
  if (counts === undefined) return false
  const { status } = toFailure(error)
  // After any other error nobody knows whether something was made.
  return counts === 'created' ? status < 500 : malformed.has(status)
}

/** What is said of a request for its own sake: its form, its length, its type. */
const malformed: ReadonlySet<number> = new Set([400, 413, 415])

/** An answer that is given again makes nothing. To be called before its headers are sent. */
export function noteReplay(visit: LimitedVisit): void {
  giveBack(visit, ({ limit }) => limit.counts !== undefined)
}

/** The answer tells where the caller stands then. */
function giveBack({ services, response, taken }: LimitedVisit, isFree: (taken: Taken) => boolean): void {
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
export const takeLimit = (name: LimitName, key: string, points: number, visit: LimitedVisit): Promise<void> =>
  take(rateLimits[name], key, points, visit)

async function take(limit: RateLimit, key: string, points: number, visit: LimitedVisit): Promise<void> {
  const state = await visit.services.rateLimiter?.take(limit, key, points)
  if (state === undefined) return
  refuseOver(state)
  visit.taken.push({ limit, key, points, state })
  showLimit(visit.response, state)
}

/** Throws TooManyRequests for a state that is over its limit. */
export function refuseOver(state: LimitState | undefined): void {
  if (state !== undefined && state.remaining < 0) throw new TooManyRequests(state)
}

async function keyOf(per: Exclude<LimitSubject, 'handler'>, visit: LimitedVisit): Promise<string> {
  const { clientIp, principal } = requestState(visit.request)
  if (per === 'address') return clientIp
  if (per === 'caller') return callerKey(principal) ?? clientIp
  const address = visit.params.workspaceId ?? ''
  // The two addresses of a workspace, its id and `slug:<slug>`, share one limit.
  return (await visit.services.workspaceIdOf?.(address)) ?? address
}

/** Whose use of a limit counts: the user, else the API key; undefined where only the address is known. */
export const callerKey = (principal: Principal | undefined): string | undefined => {
  if (principal?.kind === 'user') return principal.userId
  return principal?.kind === 'apiKey' ? principal.apiKeyId : undefined
}
