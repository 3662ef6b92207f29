import { isIPv6 } from 'node:net'

/**
 * An address as limits count it: a client with one IPv6 address has all of its /64. An IPv4 address counts alone, also
 * where it is written as IPv6; anything else counts as it is.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  if (head === '' && tail?.startsWith('ffff:') && tail.includes('.')) return tail.slice('ffff:'.length)
  const groups = head.split(':').filter(Boolean)
  const rest = tail?.split(':').filter(Boolean) ?? []
  const gap = Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
  return [...groups, ...gap, ...rest]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
