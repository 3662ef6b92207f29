import type { IncomingMessage } from 'node:http'

const MAPPED = '::ffff:'

/**
 * The address of the client. Each trusted proxy in front has added one entry to X-Forwarded-For; what stands before those is the
 * client's own writing and is not believed.
 */
export function clientIpOf(request: IncomingMessage, trustedProxyHops: number): string {
  const forwarded =
    trustedProxyHops === 0 ? undefined : entryOf(request.headers['x-forwarded-for'], trustedProxyHops)
  const address = forwarded ?? request.socket.remoteAddress ?? ''
  return address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address
}

function entryOf(header: string | string[] | undefined, hops: number): string | undefined {
  const entries = String(header ?? '').split(',')
  const entry = entries[entries.length - hops]?.trim()
  return entry === undefined || !/^[0-9a-fA-F.:]{2,45}$/.test(entry) ? undefined : entry
}
