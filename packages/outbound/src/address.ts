import ipaddr from 'ipaddr.js'

/** Decides about one address of a host, after the name was resolved. */
export type AddressCheck = (host: string, address: string) => boolean

type Parsed = ReturnType<typeof ipaddr.parse>
type Range = [Parsed, number]

/** Public by their range, yet answered by the machine's own cloud. */
const PUBLIC_METADATA = ['168.63.129.16']
/** What IANA has given out for the open internet; the rest of IPv6 embeds, tunnels or is reserved. */
const GLOBAL_IPV6: Range = ipaddr.parseCIDR('2000::/3') as Range

/**
 * `allowed` and `forbidden` hold host names, addresses and CIDR ranges; what is forbidden is it although it is allowed
 * or public, and a forbidden name forbids those below it. Throws an Error that names an entry that is none of them.
 */
export function addressCheck(allowed: readonly string[], forbidden: readonly string[] = []): AddressCheck {
  const open = entriesOf(allowed)
  const closed = entriesOf(forbidden)
  return (given, text) => {
    const address = parsed(text)
    if (address === undefined) return false
    const host = bareHost(given)
    if (isIn(closed.ranges, address) || namesAbove(host).some((name) => closed.hosts.has(name))) return false
    return open.hosts.has(host) || isPublic(address) || isIn(open.ranges, address)
  }
}

/** True for a name that is forbidden, whatever address it has. */
export function forbiddenNames(forbidden: readonly string[]): (host: string) => boolean {
  const { hosts } = entriesOf(forbidden)
  return (host) => namesAbove(bareHost(host)).some((name) => hosts.has(name))
}

interface Entries {
  hosts: ReadonlySet<string>
  ranges: readonly Range[]
}

function entriesOf(list: readonly string[]): Entries {
  const ranges = list.map(rangeOf).filter((range): range is Range => range !== undefined)
  return { ranges, hosts: new Set(list.filter((entry) => rangeOf(entry) === undefined).map(hostOf)) }
}

/** `a.b.c`, `b.c` and `c`. */
const namesAbove = (host: string): string[] => {
  const labels = host.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
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

const isIn = (ranges: readonly Range[], address: Parsed): boolean =>
  ranges.some((range) => isWithin(address, range))

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
