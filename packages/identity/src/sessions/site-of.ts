import { networkOf } from '@platform/http'

/**
 * The network somebody can have to themselves: the /48 of an IPv6 address, which holds 65,536 networks of one
 * customer, and the /24 of an IPv4 address. Addresses of one site share the room for anonymous sessions.
 */
export function siteOf(address: string): string {
  const network = networkOf(address)
  const separator = network.includes(':') ? ':' : '.'
  return network.split(separator).slice(0, 3).join(separator)
}
