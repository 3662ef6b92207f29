import { type Figure, median } from '../measure/figure.ts'
import { sendLoad } from '../measure/load.ts'
import { cpuMeter } from '../measure/processes.ts'
import type { Contender, Contest } from './under-test.ts'

const ROUNDS = 5
const ROUND_MS = 4000
const WARM_UP_MS = 5000
const CONNECTIONS = 64

/** What each contender took, round by round. */
interface Measured {
  micros: number[]
  perSecond: number[]
}

/** CPU per request of the gateway against the three others, measured in turn within one run. */
export async function compare(contest: Contest): Promise<{ figures: Figure[]; mostPerSecond: number }> {
  const { ours, others } = contest
  const all = [ours, others.bare, others.haproxy, others.express]
  const results = new Map(all.map((one) => [one, { micros: [], perSecond: [] } as Measured]))
  for (const one of all) await round(contest, one, WARM_UP_MS)
  for (let index = 0; index < ROUNDS; index += 1) {
    for (const one of index % 2 === 0 ? all : all.toReversed()) {
      const { micros, perSecond } = await round(contest, one, ROUND_MS)
      results.get(one)?.micros.push(micros)
      results.get(one)?.perSecond.push(perSecond)
    }
  }
  const of = (one: Contender): Measured => results.get(one) as Measured
  const against = (other: Contender) =>
    median(of(ours).micros.map((value, index) => value / (of(other).micros[index] ?? Number.NaN)))
  const cpu = (one: Contender): Figure => ({
    name: `gateway: ${one.name}`,
    value: median(of(one).micros),
    unit: 'µs CPU/request',
  })
  const figures = [
    ...[others.bare, others.haproxy, others.express].map(cpu),
    { ...cpu(ours), against: 'bare dispatch', ratio: against(others.bare), goal: 1.25, needed: 1.4 },
    { ...cpu(ours), against: 'HAProxy jwt_verify', ratio: against(others.haproxy), goal: 1.2, needed: 1.65 },
    { ...cpu(ours), against: 'Express', ratio: against(others.express), goal: 0.28, needed: 0.35 },
  ]
  return { figures, mostPerSecond: median(of(ours).perSecond) }
}

async function round({ under }: Contest, one: Contender, durationMs: number) {
  const used = cpuMeter(() => [one.pid])
  const result = await sendLoad({
    url: `${one.url}/v2/workspaces`,
    method: 'GET',
    headers: { authorization: `Bearer ${under.token}`, accept: 'application/json' },
    connections: CONNECTIONS,
    durationMs,
  })
  if (result.failures > 0)
    throw new Error(`${result.failures} of ${result.requests} requests of ${one.name} failed.`)
  return { micros: (used() / result.requests) * 1e6, perSecond: result.requests / result.seconds }
}
