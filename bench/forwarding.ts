import { startUnderTest } from './forwarding/processes-under-test.ts'
import { type Figure, median } from './measure/figure.ts'
import { type LoadPlan, sendLoad } from './measure/load.ts'
import { cpuMeter } from './measure/processes.ts'

const ROUNDS = 7
const ROUND_MS = 4000
const WARM_UP_MS = 5000

/**
 * Authenticated GET of 1 KB through the whole pipeline, against a bare dispatch of the same upstream: CPU per
 * request.
 */
export async function forwarding(): Promise<Figure[]> {
  await using under = await startUnderTest()
  const headers = { authorization: `Bearer ${under.token}`, accept: 'application/json' }
  const planOf = (url: string): Omit<LoadPlan, 'durationMs'> => ({
    url: `${url}/v2/workspaces`,
    method: 'GET',
    headers,
    connections: 64,
  })
  const gateway = {
    pid: under.gateway.pid,
    plan: planOf(under.gatewayUrl),
    micros: [] as number[],
    p99: [] as number[],
  }
  const bare = {
    pid: under.bare.pid,
    plan: planOf(under.bareUrl),
    micros: [] as number[],
    p99: [] as number[],
  }

  for (const one of [gateway, bare]) await sendLoad({ ...one.plan, durationMs: WARM_UP_MS })
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const one of round % 2 === 0 ? [gateway, bare] : [bare, gateway]) {
      const used = cpuMeter(() => [one.pid])
      const result = await sendLoad({ ...one.plan, durationMs: ROUND_MS })
      if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed.`)
      one.micros.push((used() / result.requests) * 1e6)
      one.p99.push(result.p99Ms)
    }
  }
  const ratio = median(gateway.micros.map((value, index) => value / (bare.micros[index] ?? Number.NaN)))
  return [
    { name: 'forwarding: bare dispatch', value: median(bare.micros), unit: 'µs CPU/request' },
    {
      name: 'forwarding: gateway',
      value: median(gateway.micros),
      unit: 'µs CPU/request',
      against: 'bare dispatch',
      ratio,
      goal: 1.25,
      needed: 1.5,
    },
    { name: 'forwarding: gateway p99 at 64 connections', value: median(gateway.p99), unit: 'ms' },
  ]
}
