import type { UnderTest } from '../forwarding/processes-under-test.ts'
import { type Figure, median } from '../measure/figure.ts'
import { type LoadPlan, sendLoad } from '../measure/load.ts'
import { cpuMeter } from '../measure/processes.ts'

const ROUNDS = 7
const ROUND_MS = 4000

/** The same forwarded request with a credential and without: what checking it, and telling the service, costs. */
export async function verification(under: UnderTest): Promise<Figure[]> {
  const plan = (headers: Record<string, string>): LoadPlan => ({
    url: `${under.gatewayUrl}/v2/pages`,
    method: 'GET',
    headers: { accept: 'application/json', ...headers },
    connections: 64,
    durationMs: ROUND_MS,
  })
  const cases = {
    nobody: { plan: plan({ 'x-filler': 'y'.repeat(700) }), micros: [] as number[] },
    somebody: { plan: plan({ authorization: `Bearer ${under.token}` }), micros: [] as number[] },
  }
  for (const one of Object.values(cases)) await sendLoad(one.plan)
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [cases.nobody, cases.somebody] : [cases.somebody, cases.nobody]
    for (const one of order) {
      const used = cpuMeter(() => [under.gateway.pid])
      const result = await sendLoad(one.plan)
      if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed.`)
      one.micros.push((used() / result.requests) * 1e6)
    }
  }
  const added = cases.somebody.micros.map(
    (value, index) => value - (cases.nobody.micros[index] ?? Number.NaN),
  )
  return [
    { name: 'identity: request of nobody', value: median(cases.nobody.micros), unit: 'µs CPU/request' },
    {
      name: 'identity: a checked credential adds',
      value: median(added),
      unit: 'µs CPU/request',
      against: 'the same without one',
      needed: 3,
    },
  ]
}
