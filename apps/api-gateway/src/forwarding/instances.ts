import { type ServiceBehindGateway, servicesBehindGateway } from '@platform/contracts'
import type { Instance } from './instance.ts'
import type { CompiledRoute } from './route-table.ts'
import { type Resolve, type RetryBudget, resolveAddresses, UpstreamInstances } from './upstream-instances.ts'
import { watchInstances } from './watch-instances.ts'

/** The instances of the services behind the gateway. */
export interface Instances extends AsyncDisposable {
  /**
   * Where a request goes: to the instance that began the session its query names, while that takes requests; else to
   * the least busy one, but not to `failed`, which just failed. Undefined when none can take it.
   */
  choose(
    route: Pick<CompiledRoute, 'to' | 'affinity'>,
    search: string,
    failed: Instance | undefined,
  ): Instance | undefined
  budget(upstream: ServiceBehindGateway): RetryBudget
  /** All instances known at the moment, for metrics. */
  states(): Iterable<{ upstream: ServiceBehindGateway; instance: Instance }>
}

/**
 * Opens a connection pool for each instance, and a link where a key for it is given, and watches over them. Names are
 * asked for once before this resolves.
 */
export async function openInstances(
  origins: Partial<Record<ServiceBehindGateway, readonly string[]>>,
  { resolve = resolveAddresses, linkKey }: { resolve?: Resolve; linkKey?: string | undefined } = {},
): Promise<Instances> {
  const entries = servicesBehindGateway.map((name) => [
    name,
    new UpstreamInstances(origins[name] ?? [], resolve, linkKey),
  ])
  const upstreams = Object.fromEntries(entries) as Record<ServiceBehindGateway, UpstreamInstances>
  const all = Object.values(upstreams)
  const now = Date.now()
  await Promise.all(all.map((each) => each.resolveNames(now)))
  const watching = watchInstances(all)

  return {
    choose: ({ to, affinity }, search, failed) => {
      const { list } = upstreams[to]
      const ofSession = affinity && failed === undefined ? instanceOfSession(list, search) : undefined
      return ofSession ?? leastBusyOf(list, failed)
    },
    budget: (upstream) => upstreams[upstream].budget,
    *states() {
      for (const upstream of servicesBehindGateway)
        for (const instance of upstreams[upstream].list) yield { upstream, instance }
    },
    async [Symbol.asyncDispose]() {
      watching[Symbol.dispose]()
      await Promise.all(
        all.flatMap(({ list, leaving }) => [...list, ...leaving].map((instance) => instance.destroy())),
      )
    },
  }
}

/** Requests one instance may have open before further ones are refused: a queue that grows makes all of them late. */
const OUTSTANDING_MAX = 4000

/**
 * The least busy good instance; of more than two, the less busy of two that are drawn, because several gateways that
 * all choose the least busy one would all choose the same. When none is good, one that drains or is silent; when there
 * is none of those, one that starts; when none admits a request, undefined. `other` failed just now and is left out
 * while there is another.
 */
function leastBusyOf(list: readonly Instance[], other: Instance | undefined): Instance | undefined {
  const only = list[0]
  if (list.length !== 1 || only === undefined) return amongSeveral(list, other)
  return only === other && only.breaker.isOpen ? undefined : admitted(only)
}

function amongSeveral(list: readonly Instance[], other: Instance | undefined): Instance | undefined {
  const good = list.filter((instance) => instance !== other && instance.isGood)
  if (good.length > 0) return admitted(good.length > 2 ? drawn(good) : leastBusy(good))
  const [able, starting] = [list.filter(({ canServe }) => canServe), list.filter(({ canServe }) => !canServe)]
  return amongPoor(able, other) ?? amongPoor(starting, other)
}

function amongPoor(list: readonly Instance[], other: Instance | undefined): Instance | undefined {
  const closed = list.filter(({ breaker }) => !breaker.isOpen)
  const others = closed.filter((instance) => instance !== other)
  const [first] = others.length > 0 ? [leastBusy(others)] : closed
  return first === undefined
    ? list.find((instance) => instance !== other && instance.breaker.admits())
    : admitted(first)
}

const admitted = (instance: Instance): Instance | undefined =>
  instance.outstanding < OUTSTANDING_MAX && instance.breaker.admits() ? instance : undefined

function drawn(list: readonly Instance[]): Instance {
  const first = Math.floor(Math.random() * list.length)
  const second = (first + 1 + Math.floor(Math.random() * (list.length - 1))) % list.length
  return lessBusy(list[first] as Instance, list[second] as Instance)
}

const leastBusy = (list: readonly Instance[]): Instance => list.reduce(lessBusy)

/** Of two that are equally busy either: always the same one would get all requests of a quiet hour. */
function lessBusy(one: Instance, another: Instance): Instance {
  if (one.outstanding === another.outstanding) return Math.random() < 0.5 ? one : another
  return one.outstanding < another.outstanding ? one : another
}

/** The name of the instance a session belongs to, before the dot of its id. */
const SESSION = /[?&]sid=([0-9a-f]{12})\./

/** The instance that began the session a query names; undefined when it takes no requests: its sessions begin anew. */
function instanceOfSession(list: readonly Instance[], search: string): Instance | undefined {
  const tag = SESSION.exec(search)?.[1]
  if (tag === undefined) return undefined
  const found = list.find((instance) => instance.tag === tag)
  return found === undefined || found.breaker.isOpen ? undefined : found
}
