import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** What a name stands for at the moment, and for how long at least. */
export interface Addresses {
  addresses: string[]
  ttlSeconds: number
}

/** Finds the addresses of a name; none when it has none or nobody knows. */
export type Resolve = (hostname: string) => Promise<Addresses>

/** A name that the system knows, but no server of names, says nothing about how long. */
const SYSTEM_TTL_SECONDS = 5
const resolver = new Resolver({ timeout: 1000, tries: 2 })

/** Whether an origin names a host that may stand for several instances. */
export const isName = (hostname: string): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && hostname !== 'localhost' && !hostname.endsWith('.localhost')

/** Asks for A and AAAA records, then the system, which also knows /etc/hosts. IPv4 is taken where there are both. */
export const resolveAddresses: Resolve = async (hostname) => {
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname, { ttl: true }),
    resolver.resolve6(hostname, { ttl: true }),
  ])
  const records = [four, six].flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const found = records.find((list) => list.length > 0)
  if (found !== undefined)
    return {
      addresses: found.map(({ address }) => address),
      ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
    }
  const system = await lookup(hostname, { all: true }).catch(() => [])
  return { addresses: system.map(({ address }) => address), ttlSeconds: SYSTEM_TTL_SECONDS }
}
