import type { IncomingMessage, ServerResponse } from 'node:http'
import { type LimitName, rateLimits } from '@platform/contracts'
import { type RateLimiter, requestState, showLimit, TooManyRequests } from '@platform/http'

/** What of the OIDC server counts: each authorization keeps an interaction, each token costs a signature. */
const limited: Readonly<Record<string, LimitName>> = {
  'GET /auth': 'signIn',
  'HEAD /auth': 'signIn',
  'POST /token': 'tokenExchange',
}

/** Takes the limit of an address of the OIDC server, for the address of the client. Throws TooManyRequests. */
export async function limitOidc(
  rateLimiter: RateLimiter,
  request: IncomingMessage,
  path: string,
  response: ServerResponse,
): Promise<void> {
  const name = limited[`${request.method} ${path}`]
  if (name === undefined) return
  const state = await rateLimiter.take(rateLimits[name], requestState(request).clientIp)
  if (state === undefined) return
  showLimit(response, state)
  if (state.remaining >= 0) return
  // Set here, too: where a browser asks, the answer is a page.
  response.setHeader('retry-after', String(state.resetSeconds))
  throw new TooManyRequests(state)
}
