import { startUnderTest } from '../forwarding/processes-under-test.ts'
import { type Figure, median } from '../measure/figure.ts'
import { sendPaced } from '../measure/h2load.ts'
import { throughput } from '../measure/wrk.ts'
import { startUpstream } from './haproxy.ts'
import { gatewayOfImage } from './image.ts'

const SHARE = 0.7
const LOAD_SECONDS = 4
const SECONDS = 6
const ROUNDS = 5

/**
 * How long answers take at 70 % of what the gateway gets through, at an even pace; load and upstream leave the cores
 * to it. What it gets through is measured again before each round: a shared machine may be half as fast a minute
 * later, and 70 % would be more than all. Beside it, at the same pace, the bare dispatch and the upstream without
 * anything before it: what they take is the machine's.
 */
export async function calm(): Promise<Figure[]> {
  using upstream = await startUpstream()
  await using under = await startUnderTest({ upstreamPort: upstream.port, ...gatewayOfImage() })
  const authorization = `Bearer ${under.token}`
  const asked = {
    gateway: under.gatewayUrl,
    bare: under.bareUrl,
    upstream: `http://127.0.0.1:${upstream.port}`,
  }
  const all = () => throughput({ url: urlOf(asked.gateway), authorization, seconds: LOAD_SECONDS })
  await all()
  const rates: number[] = []
  const p99s: Record<keyof typeof asked, number[]> = { gateway: [], bare: [], upstream: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    const perSecond = SHARE * (await all())
    rates.push(perSecond)
    for (const name of ['gateway', 'bare', 'upstream'] as const) {
      const load = { url: urlOf(asked[name]), authorization, perSecond, connections: 64, seconds: SECONDS }
      p99s[name].push((await sendPaced(load)).p99Ms)
    }
  }
  const figure = (name: string, values: number[]) => ({ name, value: median(values), unit: 'ms' })
  return [
    {
      ...figure(`gateway: p99 at 70 % load (${Math.round(median(rates))}/s)`, p99s.gateway),
      goal: 10,
      needed: 20,
    },
    figure('gateway: p99 of bare dispatch at the same pace', p99s.bare),
    figure('gateway: p99 of the upstream alone at the same pace', p99s.upstream),
  ]
}

const urlOf = (origin: string): string => `${origin}/v2/workspaces`
