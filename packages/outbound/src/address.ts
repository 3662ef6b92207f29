import ipaddr from 'ipaddr.js'

/** Decides about one address of a host, after the name was resolved. */
export type AddressCheck = (host: string, address: string) => boolean

type Parsed = ReturnType<typeof ipaddr.parse>
type Range = [Parsed, number]

/** Public by their range, yet answered by the machine's own cloud. */
const PUBLIC_METADATA = ['168.63.129.16']
/** What IANA has given out for the open internet; the rest of IPv6 embeds, tunnels or is reserved. */
const GLOBAL_IPV6: Range = ipaddr.parseCIDR('2000::/3') as Range

/** `allowed` holds host names, addresses and CIDR ranges. Throws an Error that names an entry that is none of them. */
export function addressCheck(allowed: readonly string[]): AddressCheck {
  const ranges = allowed.map(rangeOf).filter((range): range is Range => range !== undefined)
  const hosts = new Set(allowed.filter((entry) => rangeOf(entry) === undefined).map(hostOf))
  return (host, text) => {
    const address = parsed(text)
    if (address === undefined) return false
    return hosts.has(bareHost(host)) || isPublic(address) || ranges.some((range) => isWithin(address, range))
  }
}

/** A host as it is compared: lower case, without the brackets of IPv6 and the dot of a complete name. */
export const bareHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

/** The address a host spells, or undefined when it is a name. IPv4 in IPv6 is the IPv4 address it reaches. */
export function parsed(text: string): Parsed | undefined {
  const bare = bareHost(text)
  // A zone id picks an interface of this machine: nothing outside has one.
  if (bare.includes('%') || !ipaddr.isValid(bare)) return undefined
  return ipaddr.process(bare)
}

function isPublic(address: Parsed): boolean {
  if (address.range() !== 'unicast' || PUBLIC_METADATA.includes(address.toString())) return false
  return address.kind() === 'ipv4' || isWithin(address, GLOBAL_IPV6)
}

const isWithin = (address: Parsed, [base, bits]: Range): boolean =>
  address.kind() === base.kind() && address.match(base, bits)

function rangeOf(entry: string): Range | undefined {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry) as Range
  const address = parsed(entry)
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}

function hostOf(entry: string): string {
  const host = bareHost(entry)
  if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host)) return host
  throw new Error(`"${entry}" is neither a host name, nor an address, nor a range such as 10.0.0.0/8.`)
}
