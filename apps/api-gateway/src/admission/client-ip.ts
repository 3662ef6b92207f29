import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

const MAPPED = '::ffff:'
/** An address as some proxies write it: with the port of the connection, IPv6 in brackets. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/

/**
 * The address of the client. Each trusted proxy in front has added one entry to X-Forwarded-For; what stands before
 * those is the client's own writing and is not believed.
 */
export function clientIpOf(request: IncomingMessage, trustedProxyHops: number): string {
  const forwarded =
    trustedProxyHops === 0 ? undefined : entryOf(request.headers['x-forwarded-for'], trustedProxyHops)
  const address = forwarded ?? request.socket.remoteAddress ?? ''
  return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address
}

function entryOf(header: string | string[] | undefined, hops: number): string | undefined {
  const entries = String(header ?? '').split(',')
  const entry = entries[entries.length - hops]?.trim() ?? ''
  const [, bracketed, beforePort] = WITH_PORT.exec(entry) ?? []
  // The port is left out: with it, each connection would count as another client.
  const address = bracketed ?? beforePort ?? entry
  return isIP(address) === 0 ? undefined : address
}
