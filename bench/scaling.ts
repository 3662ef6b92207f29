import { setTimeout as pause } from 'node:timers/promises'
import { bundleApps } from './gateway/image.ts'
import type { Figure } from './measure/figure.ts'
import { type Costs, costFigures, restFigures } from './scaling/costs.ts'
import { ask, FEW, type Load, loads, measured, settled } from './scaling/loads.ts'
import { type Instances, startInstances } from './scaling/under-test.ts'
import { holding, meter } from './scaling/usage.ts'

/** Of each service. */
const COUNTS = [1, 2, 4]
const SECONDS = 6
const CALM_SECONDS = 4
const REST_SECONDS = 15
/** What was written keeps PostgreSQL busy for a while after it can be read. */
const SETTLE_MS = 5000

/**
 * What requests, runs and events cost with so many processes of each service on one PostgreSQL. On few cores the rates
 * say little; CPU for a thousand does, and whether it grows with the number of processes.
 */
export async function scaling(): Promise<Figure[]> {
  bundleApps('api-gateway', 'workspaces', 'runtime', 'events')
  const figures: Figure[] = []
  let one: Costs | undefined
  for (const count of COUNTS) {
    const costs = await costsOf(count)
    one ??= costs
    figures.push(...restFigures(costs, one), ...costFigures(costs, one))
  }
  return figures
}

async function costsOf(count: number): Promise<Costs> {
  await using instances = await startInstances(count)
  console.error(`  ${count} of each service …`)
  const fresh = holding(instances)
  for (const load of loads) await warmUp(instances, load)
  await settled(instances)
  await pause(SETTLE_MS)
  const readRest = await meter(instances)
  await pause(REST_SECONDS * 1000)
  const rest = await readRest()
  const asked = []
  for (const load of loads) {
    const calm = await measured(instances, load, { callers: FEW, seconds: CALM_SECONDS })
    asked.push({
      load,
      calm,
      busy: await measured(instances, load, { callers: load.many, seconds: SECONDS }),
    })
  }
  return { count, fresh, rest, asked, loaded: holding(instances) }
}

/**
 * More processes share the cores, and each has to compile what it does often. Until then they may be too slow for a
 * request, and refuse it.
 */
async function warmUp(instances: Instances, load: Load): Promise<void> {
  const asking = { callers: load.many, seconds: 1 + instances.count }
  await ask(instances, load, asking).catch((error: unknown) => console.error(error))
}
