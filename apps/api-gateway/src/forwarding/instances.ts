import { Pool } from 'undici'
import type { Upstream } from './route-table.ts'

/** How long an instance that refused a connection is left alone. */
const EJECTED_MS = 1000

/** Requests one instance may have open before further ones are refused: a queue that grows helps nobody. */
const OUTSTANDING_MAX = 4000

/** One address of a service and what is known of it. */
export interface Instance {
  readonly pool: Pool
  outstanding: number
  ejectedUntil: number
}

/** The instances of the services behind the gateway. */
export interface Instances extends AsyncDisposable {
  /** The least busy instance that is not ejected; when all are, the least busy. Undefined when it has too much to do already. */
  choose(upstream: Upstream, now: number, other?: Instance): Instance | undefined
  eject(instance: Instance, now: number): void
}

/** Opens a connection pool an instance; a stuck answer must not hold up another, so nothing is pipelined. */
export function openInstances(origins: Record<Upstream, readonly string[]>, timeoutMs: number): Instances {
  const open = (list: readonly string[]): Instance[] =>
    list.map((origin) => ({ pool: openPool(origin, timeoutMs), outstanding: 0, ejectedUntil: 0 }))
  const instances = {
    workspaces: open(origins.workspaces),
    runtime: open(origins.runtime),
    events: open(origins.events),
  }

  return {
    choose(upstream, now, other) {
      const chosen = leastBusy(instances[upstream], now, other)
      return chosen !== undefined && chosen.outstanding < OUTSTANDING_MAX ? chosen : undefined
    },
    eject(instance, now) {
      instance.ejectedUntil = now + EJECTED_MS
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(instances).flatMap((list) => list.map(({ pool }) => pool.destroy())))
    },
  }
}

const openPool = (origin: string, timeoutMs: number): Pool =>
  new Pool(origin, {
    connections: 512,
    pipelining: 1,
    connect: { timeout: 1000 },
    // Shorter than the services' own, so that a connection is never closed under a request.
    keepAliveTimeout: 60_000,
    keepAliveMaxTimeout: 60_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })

function leastBusy(
  list: readonly Instance[],
  now: number,
  other: Instance | undefined,
): Instance | undefined {
  if (list.length === 1) return list[0]
  const others = list.filter((instance) => instance !== other)
  const rested = others.filter(({ ejectedUntil }) => ejectedUntil <= now)
  const [first, ...rest] = rested.length > 0 ? rested : others
  return rest.reduce(
    (best, instance) => (best !== undefined && instance.outstanding >= best.outstanding ? best : instance),
    first,
  )
}
