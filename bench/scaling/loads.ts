import { secondsUntilShown } from '../measure/until-shown.ts'
import { throughput } from '../measure/wrk.ts'
import type { Instances } from './under-test.ts'
import { meter, type Used } from './usage.ts'

/** One thing that callers do. */
export interface Load {
  /** What is counted, in the plural. */
  name: string
  path: string
  /** A POST of this, else a GET. */
  json?: string
  /** Things in a call. */
  each: number
  /** Callers that saturate two cores. */
  many: number
}

const BATCH = 50
/** So few callers that hardly two meet in a group commit. */
export const FEW = 4

const eventsOf = (count: number): string =>
  JSON.stringify({
    events: Array.from({ length: count }, (_, n) => ({ type: 'bench.event', payload: { n } })),
  })

/** A workspace is read, an automation is run, events are emitted one by one, and many in a call. */
export const loads: readonly Load[] = [
  { name: 'requests', path: '', each: 1, many: 64 },
  { name: 'runs', path: '/webhooks/greet', json: JSON.stringify({ name: 'Ada' }), each: 1, many: 64 },
  { name: 'events', path: '/events', json: eventsOf(1), each: 1, many: 64 },
  { name: `events in batches of ${BATCH}`, path: '/events', json: eventsOf(BATCH), each: BATCH, many: 8 },
]

/** How hard it is asked: as many callers at once as wanted, each of which waits for its answer. */
export interface Asking {
  callers: number
  seconds: number
}

/** Through all gateways alike; answers how many were done in a second. */
export async function ask(instances: Instances, load: Load, { callers, seconds }: Asking): Promise<number> {
  const { origins, workspaceId, authorization } = instances
  const rates = await Promise.all(
    origins.map((origin) =>
      throughput({
        url: `${origin}/v2/workspaces/${workspaceId}${load.path}`,
        authorization,
        seconds,
        connections: Math.max(1, Math.round(callers / origins.length)),
        ...(load.json === undefined ? {} : { json: load.json }),
      }),
    ),
  )
  return rates.reduce((sum, rate) => sum + rate, 0) * load.each
}

export interface Asked {
  done: number
  /** Until the feed showed everything. */
  seconds: number
  behindSeconds: number
  used: Used
}

/** What it costs until everything can be read that it wrote: a run writes an event too. */
export async function measured(instances: Instances, load: Load, asking: Asking): Promise<Asked> {
  const read = await meter(instances)
  const perSecond = await ask(instances, load, asking)
  const behindSeconds = load.json === undefined ? 0 : await settled(instances)
  return {
    done: perSecond * asking.seconds,
    seconds: asking.seconds + behindSeconds,
    behindSeconds,
    used: await read(),
  }
}

/** Resolves when the feed shows what was written before, with the seconds it took. */
export const settled = ({ origins, workspaceId, authorization }: Instances): Promise<number> =>
  secondsUntilShown(`${origins[0]}/v2/workspaces/${workspaceId}/events`, authorization)
