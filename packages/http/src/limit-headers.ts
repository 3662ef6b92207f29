import type { ServerResponse } from 'node:http'
import type { LimitState } from './rate-limiter.ts'

/**
 * Both header families of a limited route (decisions A8): those of the IETF draft, and the older trio. `nowMs` is
 * Unix time.
 */
function limitHeaders({ limit, remaining, resetSeconds }: LimitState, nowMs: number): Record<string, string> {
  const left = Math.max(0, remaining)
  const burst = limit.burst === undefined ? '' : `;burst=${limit.burst}`
  return {
    'ratelimit-policy': `"${limit.name}";q=${limit.points};w=${limit.seconds}${burst}`,
    ratelimit: `"${limit.name}";r=${left};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit.points),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(nowMs / 1000) + resetSeconds),
  }
}

/** Tells the caller about the limit; of several limits, the answer tells about the one that is used up first. */
export function showLimit(response: ServerResponse, state: LimitState): void {
  const shown = response.getHeader('x-ratelimit-remaining')
  if (shown === undefined || Number(shown) > Math.max(0, state.remaining)) setLimitHeaders(response, state)
}

/** Tells the caller about this limit, whichever was told about before. */
export function setLimitHeaders(response: ServerResponse, state: LimitState): void {
  for (const [name, value] of Object.entries(limitHeaders(state, Date.now()))) response.setHeader(name, value)
}
