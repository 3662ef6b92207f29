import type { Dispatcher } from 'undici'
import { CallTime } from './call-time.ts'
import { OutboundRefused, requireCallable } from './callable.ts'
import type { Outbound, OutboundRequest } from './outbound.ts'
import { leave, OutboundAnswer } from './outbound-answer.ts'
import { locationOf, redirected } from './redirects.ts'

interface Needs {
  readonly dispatcher: Dispatcher
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly maxRedirects: number
}

/**
 * Calls over a guarded dispatcher. Redirects are followed here, so that each of them is checked like the first address.
 */
export const guardedRequest =
  (needs: Needs): Outbound['request'] =>
  async (request) => {
    const time = new CallTime(request.timeoutMs ?? needs.timeoutMs, needs.timeoutMs, request.signal)
    try {
      return await followed(request, needs, time)
    } catch (error) {
      time.end()
      throw error
    }
  }

async function followed(first: OutboundRequest, needs: Needs, time: CallTime): Promise<OutboundAnswer> {
  const { redirects = needs.maxRedirects } = first
  let request = first
  for (let hops = 0; ; hops += 1) {
    const data = await time.heeded(call(request, needs.dispatcher, time.signal))
    const { statusCode, headers } = data
    const location = redirects === 'answer' ? undefined : locationOf(statusCode, headers.location)
    if (location === undefined)
      return new OutboundAnswer(data, {
        url: request.url,
        isRedirected: hops > 0,
        isHead: request.method === 'HEAD',
        maxBytes: needs.maxResponseBytes,
        time,
      })
    leave(data.body)
    if (hops === redirects)
      throw new OutboundRefused(`${first.url.host} redirects more than ${redirects} times.`)
    request = redirected(request, statusCode, location)
  }
}

async function call(
  { url, method, headers, body }: OutboundRequest,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  requireCallable(url)
  return await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as Dispatcher.HttpMethod,
    headers: { ...usual(headers, body), ...headers },
    body: body ?? null,
    signal,
    ...OWN_TIME,
  })
}

/** The time of the call counts for all of it: a timer of undici stays in its list for a second after that. */
const OWN_TIME = { headersTimeout: 0, bodyTimeout: 0 }

/** What a client says of itself unless it was told. Ranges are of the bytes as they are stored (RFC 9110, 14.2). */
const usual = (given: OutboundRequest['headers'], body: OutboundRequest['body']): Record<string, string> => ({
  accept: '*/*',
  'accept-language': '*',
  'accept-encoding': given.range === undefined ? 'gzip, br, zstd' : 'identity',
  ...(typeof body === 'string' ? { 'content-type': 'text/plain;charset=UTF-8' } : {}),
})
