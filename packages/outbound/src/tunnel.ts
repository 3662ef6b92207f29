import { request as requestPlainly } from 'node:http'
import { request as requestEncrypted } from 'node:https'
import type { Socket } from 'node:net'
import { proxyHeaders } from './proxies.ts'

/** Where a tunnel leads. */
export interface TunnelEnd {
  readonly host: string
  readonly port: string
}

/**
 * A connection through a proxy (CONNECT), over which nothing was sent yet: what is said on it the proxy does not see
 * where it is encrypted. Rejects where the proxy can't be reached, or does not let it through.
 */
export function openTunnel(proxy: URL, { host, port }: TunnelEnd, timeoutMs: number): Promise<Socket> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const send = proxy.protocol === 'https:' ? requestEncrypted : requestPlainly
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const asking = send({
    host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
    timeout: timeoutMs,
  })
  const fail = (what: string, code?: string) => {
    asking.destroy()
    reject(Object.assign(new Error(`The proxy ${proxy.host} ${what}.`), code === undefined ? {} : { code }))
  }
  asking.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    socket.setTimeout(0)
    if (statusCode !== 200) {
      socket.destroy()
      return fail(`answers ${statusCode} to the wish for a connection`, 'PROXY_REFUSED')
    }
    if (head.length > 0) socket.unshift(head)
    resolve(socket)
  })
  asking.once('response', ({ statusCode = 0 }) =>
    fail(`answers ${statusCode} to the wish for a connection`, 'PROXY_REFUSED'),
  )
  asking.once('timeout', () => fail('does not answer', 'PROXY_TIMEOUT'))
  asking.once('error', (error: NodeJS.ErrnoException) => fail('can’t be reached', error.code))
  asking.end()
  return promise
}
