import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { SECOND_MS } from '@platform/kernel'
import { Instance } from './instance.ts'

/** A name is resolved again this often, however long its records are valid. */
const RESOLVE_MIN_MS = SECOND_MS
const RESOLVE_MAX_MS = 5 * SECOND_MS
/** While no instance takes requests: the next one may have another address. */
const RESOLVE_BROKEN_MS = SECOND_MS / 4

/** A name among the origins and what it stood for when it was last asked for. */
interface Name {
  readonly url: URL
  resolvedAt: number
  resolveAt: number
  isResolving: boolean
}

/** The instances of one service: those listed by address, and whatever its names stand for at the moment. */
export class UpstreamInstances {
  readonly budget = new RetryBudget()
  /** Replaced as a whole when a name stands for something else. */
  list: readonly Instance[]
  /** Those a name stands for no more, while they finish what they have. */
  readonly leaving = new Set<Instance>()
  readonly #names: Name[]
  readonly #resolve: Resolve
  readonly #byName = new Map<Name, Map<string, Instance>>()
  readonly #fixed: readonly Instance[]
  readonly #linked: { linkKey?: string }

  /** With `linkKey`, the internal key, instances are called over links. */
  constructor(origins: readonly string[], resolve: Resolve, linkKey?: string) {
    const urls = origins.map((origin) => new URL(origin))
    this.#resolve = resolve
    this.#linked = linkKey === undefined ? {} : { linkKey }
    this.#fixed = urls
      .filter(({ hostname }) => !isName(hostname))
      .map(({ origin }) => new Instance(origin, this.#linked))
    this.#names = urls
      .filter(({ hostname }) => isName(hostname))
      .map((url) => ({ url, resolvedAt: 0, resolveAt: 0, isResolving: false }))
    this.list = this.#fixed
  }

  /** Whether an instance takes requests, as far as is known. */
  get hasGood(): boolean {
    return this.list.some(({ isGood }) => isGood)
  }

  /** Asks again for every name that is due. */
  async resolveNames(now: number): Promise<void> {
    const due = this.#names.filter(
      ({ resolvedAt, resolveAt, isResolving }) =>
        !isResolving && (resolveAt <= now || (!this.hasGood && resolvedAt + RESOLVE_BROKEN_MS <= now)),
    )
    await Promise.all(due.map((name) => this.#resolveName(name, now)))
  }

  /** Nothing found means nothing known: the addresses of before stay, and probes show whether they are still there. */
  async #resolveName(name: Name, now: number): Promise<void> {
    name.isResolving = true
    const { addresses, ttlSeconds } = await this.#addressesOf(name)
    name.isResolving = false
    name.resolvedAt = now
    name.resolveAt = now + Math.min(RESOLVE_MAX_MS, Math.max(RESOLVE_MIN_MS, ttlSeconds * SECOND_MS))
    if (addresses.length > 0) this.#replace(name, addresses)
  }

  async #addressesOf({ url }: Name): ReturnType<Resolve> {
    try {
      return await this.#resolve(url.hostname)
    } catch {
      return { addresses: [], ttlSeconds: 0 }
    }
  }

  /** Instances that are still there go on with their connections; those that are gone finish what they have. */
  #replace(name: Name, addresses: readonly string[]): void {
    const before = this.#byName.get(name) ?? new Map<string, Instance>()
    if (addresses.length === before.size && addresses.every((address) => before.has(address))) return
    const { protocol, port, hostname } = name.url
    // One that joins others is asked whether it is ready before anything is sent there.
    const health = before.size > 0 ? 'unasked' : 'ready'
    const after = new Map(
      addresses.map((address) => {
        const host = address.includes(':') ? `[${address}]` : address
        const origin = `${protocol}//${host}${port === '' ? '' : `:${port}`}`
        return [
          address,
          before.get(address) ?? new Instance(origin, { ...this.#linked, servername: hostname, health }),
        ]
      }),
    )
    this.#byName.set(name, after)
    this.list = [...this.#fixed, ...[...this.#byName.values()].flatMap((found) => [...found.values()])]
    for (const [address, instance] of before) if (!after.has(address)) this.#leave(instance)
  }

  #leave(instance: Instance): void {
    this.leaving.add(instance)
    instance
      .close()
      .catch(() => undefined)
      .finally(() => this.leaving.delete(instance))
  }
}

/** What a name stands for at the moment, and for how long at least. */
export interface Addresses {
  addresses: string[]
  ttlSeconds: number
}

/** Finds the addresses of a name; none when it has none, or no server knows them. */
export type Resolve = (hostname: string) => Promise<Addresses>

/** A name that the system knows, but no server of names, says nothing about how long. */
const SYSTEM_TTL_SECONDS = 5
const resolver = new Resolver({ timeout: 1000, tries: 2 })

/** Whether an origin names a host that may stand for several instances. */
const isName = (hostname: string): boolean =>
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && hostname !== 'localhost' && !hostname.endsWith('.localhost')

/** Asks for A and AAAA records, then the system, which also knows /etc/hosts. IPv4 is taken where there are both. */
export const resolveAddresses: Resolve = async (hostname) => {
  const [four, six] = await Promise.allSettled([
    resolver.resolve4(hostname, { ttl: true }),
    resolver.resolve6(hostname, { ttl: true }),
  ])
  const records = [four, six].flatMap((found) => (found.status === 'fulfilled' ? [found.value] : []))
  const found = records.find((list) => list.length > 0)
  if (found !== undefined)
    return {
      addresses: found.map(({ address }) => address),
      ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
    }
  const system = await lookup(hostname, { all: true }).catch(() => [])
  return { addresses: system.map(({ address }) => address), ttlSeconds: SYSTEM_TTL_SECONDS }
}

/** Of a hundred requests, ten may be sent twice: retries must never be what overloads a service. */
const SHARE = 0.1
/** What may be spent at once, for example when an instance with many requests under way disappears. */
const MAX = 100

/** Retries one service may be asked for: a tenth of its requests */
export class RetryBudget {
  #left = MAX
  /** Requests that were sent again, and those that would have been. */
  spent = 0
  refused = 0

  /** A request was sent for the first time. */
  earn(): void {
    if (this.#left < MAX) this.#left += SHARE
  }

  /** True when a request may be sent again. */
  spend(): boolean {
    if (this.#left < 1) {
      this.refused += 1
      return false
    }
    this.#left -= 1
    this.spent += 1
    return true
  }
}
