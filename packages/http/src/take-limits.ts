import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@platform/auth'
import { type LimitName, type LimitSubject, type RateLimit, rateLimits } from '@platform/contracts'
import { showLimit } from './limit-headers.ts'
import type { LimitState } from './rate-limiter.ts'
import { requestState } from './request-state.ts'
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
}

/**
 * Takes one use of each limit of the contract, in its order, then does the work; limits that a handler takes are left to it. The answer,
 * whatever it will be, tells about the limit with the least left. Throws TooManyRequests.
 */
export async function withLimits(
  contract: Route['contract'],
  visit: LimitedVisit,
  work: () => Promise<void>,
): Promise<void> {
  const { rateLimiter } = visit.services
  if (contract.limits === undefined || rateLimiter === undefined) return work()
  const ofWorkspace = await takeAll(contract.limits, visit)
  try {
    await work()
  } catch (error) {
    // Strangers must not be able to use up what belongs to a workspace, with bodies nobody reads to their end neither.
    if (ofWorkspace !== undefined && !visit.isAdmitted)
      rateLimiter.giveBack(ofWorkspace.limit, ofWorkspace.key)
    throw error
  }
}

interface Taken {
  limit: RateLimit
  key: string
}

/** Answers what was taken for the workspace of the path. */
async function takeAll(names: readonly LimitName[], visit: LimitedVisit): Promise<Taken | undefined> {
  let ofWorkspace: Taken | undefined
  for (const name of names) {
    const limit: RateLimit = rateLimits[name]
    if (limit.per === 'handler') continue
    const key = await keyOf(limit.per, visit)
    await take(limit, key, 1, visit)
    if (limit.per === 'workspace') ofWorkspace = { limit, key }
  }
  return ofWorkspace
}

/** Takes uses of a limit for what a handler found out; see RequestInfo.takeLimit. */
export const takeLimit = (name: LimitName, key: string, points: number, visit: LimitedVisit): Promise<void> =>
  take(rateLimits[name], key, points, visit)

async function take(limit: RateLimit, key: string, points: number, visit: LimitedVisit): Promise<void> {
  const state = await visit.services.rateLimiter?.take(limit, key, points)
  if (state === undefined) return
  refuseOver(state)
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
