import { chooseInstance } from './choose-instance.ts'
import type { Instance } from './instance.ts'
import { type Resolve, resolveAddresses } from './resolve-addresses.ts'
import type { RetryBudget } from './retry-budget.ts'
import { upstreams as names, type Upstream } from './route-table.ts'
import { UpstreamInstances } from './upstream-instances.ts'
import { watchInstances } from './watch-instances.ts'

/** The instances of the services behind the gateway. */
export interface Instances extends AsyncDisposable {
  /** Where a request goes, but not to `other`, which just failed; undefined when nobody can take it. */
  choose(upstream: Upstream, other: Instance | undefined): Instance | undefined
  /** The instance of this name, unless it can't take a request. */
  named(upstream: Upstream, tag: string): Instance | undefined
  budget(upstream: Upstream): RetryBudget
  /** All instances known at the moment, for metrics. */
  states(): Iterable<{ upstream: Upstream; instance: Instance }>
}

/** Opens a connection pool for each instance and watches over them. Names are asked for once before this resolves. */
export async function openInstances(
  origins: Record<Upstream, readonly string[]>,
  resolve: Resolve = resolveAddresses,
): Promise<Instances> {
  const upstreams = {
    workspaces: new UpstreamInstances(origins.workspaces, resolve),
    runtime: new UpstreamInstances(origins.runtime, resolve),
    events: new UpstreamInstances(origins.events, resolve),
  }
  const all = Object.values(upstreams)
  const now = Date.now()
  await Promise.all(all.map((each) => each.resolveNames(now)))
  const watching = watchInstances(all)

  return {
    choose: (upstream, other) => chooseInstance(upstreams[upstream].list, other),
    named: (upstream, tag) => {
      // One that is leaving takes nothing further: its sessions begin anew at another.
      const found = upstreams[upstream].list.find((instance) => instance.tag === tag)
      return found === undefined || found.breaker.isOpen ? undefined : found
    },
    budget: (upstream) => upstreams[upstream].budget,
    *states() {
      for (const upstream of names)
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
