import { type Dispatcher, Headers, type HeadersInit } from 'undici'
import type { CheckTarget } from './check-target.ts'
import { type FindProxy, proxyHeaders } from './proxies.ts'

/**
 * Sends what is not encrypted to its proxy as a whole (the address is the path of the request), once the target has
 * passed the check; the rest goes on to the dispatcher below.
 */
export const forwarded =
  (findProxy: FindProxy, check: CheckTarget, proxies: Dispatcher): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const { origin = '', path } = options
    const target = new URL(String(origin))
    const proxy = target.protocol === 'http:' ? findProxy(target) : undefined
    if (proxy === undefined) return dispatch(options, handler)
    const send = () =>
      proxies.dispatch(
        {
          ...options,
          origin: proxy.origin,
          path: `${target.origin}${path}`,
          headers: withHeaders(options.headers, { host: target.host, ...proxyHeaders(proxy) }),
        },
        handler,
      )
    check(target.hostname).then(send, (error: Error) => {
      // What stands for the request is of no use before it has begun.
      handler.onResponseError?.(undefined as unknown as Dispatcher.DispatchController, error)
    })
    return true
  }

function withHeaders(
  given: Dispatcher.DispatchOptions['headers'],
  added: Record<string, string>,
): Record<string, string> {
  const isFlat = Array.isArray(given) && given.every((one) => typeof one === 'string')
  const headers = new Headers((isFlat ? pairsOf(given as string[]) : (given ?? {})) as HeadersInit)
  for (const [name, value] of Object.entries(added)) headers.set(name, value)
  return Object.fromEntries(headers)
}

const pairsOf = (flat: readonly string[]): string[][] =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []))
