import { type Figure, median } from '../measure/figure.ts'
import { sendLoad } from '../measure/load.ts'
import { cpuMeter } from '../measure/processes.ts'
import { type Contender, type Contest, startContest } from './under-test.ts'

/** How a process is compiled and laid out differs from start to start by some percent. */
const STARTS = 3
const ROUNDS = 6
const ROUND_MS = 1500
const WARM_UP_MS = 5000
const CONNECTIONS = 64

/** µs of CPU for one request of each contender, round by round. */
type Measured = Record<keyof Contest['contenders'], number[]>

/**
 * CPU per request of the gateway against the three others, measured in turn within one run, over several starts of
 * all.
 */
export async function compare(): Promise<Figure[]> {
  const measured: Measured = { ours: [], bare: [], haproxy: [], express: [] }
  for (let start = 0; start < STARTS; start += 1) {
    await using contest = await startContest()
    const all = Object.entries(contest.contenders) as [keyof Measured, Contender][]
    for (const [, one] of all) await round(contest, one, WARM_UP_MS)
    for (let index = 0; index < ROUNDS; index += 1)
      for (const [name, one] of index % 2 === 0 ? all : all.toReversed())
        measured[name].push(await round(contest, one, ROUND_MS))
  }
  return figuresOf(measured)
}

function figuresOf({ ours, bare, haproxy, express }: Measured): Figure[] {
  const against = (other: number[]) =>
    median(ours.map((value, index) => value / (other[index] ?? Number.NaN)))
  const cpu = (name: string, micros: number[]): Figure => ({
    name: `gateway: ${name}`,
    value: median(micros),
    unit: 'µs CPU/request',
  })
  const gateway = cpu('gateway', ours)
  return [
    cpu('bare dispatch', bare),
    cpu('HAProxy with jwt_verify', haproxy),
    cpu('Express', express),
    { ...gateway, against: 'bare dispatch', ratio: against(bare), goal: 1.25, needed: 1.4 },
    { ...gateway, against: 'HAProxy jwt_verify', ratio: against(haproxy), goal: 1.2, needed: 1.65 },
    { ...gateway, against: 'Express', ratio: against(express), goal: 0.28, needed: 0.35 },
  ]
}

/** µs of CPU for one request. */
async function round({ under }: Contest, one: Contender, durationMs: number): Promise<number> {
  const used = cpuMeter(() => [one.pid])
  const result = await sendLoad({
    url: `${one.url}/v2/workspaces`,
    method: 'GET',
    headers: { authorization: `Bearer ${under.token}`, accept: 'application/json' },
    connections: CONNECTIONS,
    durationMs,
  })
  if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} requests failed.`)
  return (used() / result.requests) * 1e6
}
