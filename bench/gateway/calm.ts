import { startUnderTest } from '../forwarding/processes-under-test.ts'
import { type Figure, median } from '../measure/figure.ts'
import { sendPaced } from '../measure/h2load.ts'
import { throughput } from '../measure/wrk.ts'
import { startUpstream } from './haproxy.ts'
import { gatewayOfImage } from './image.ts'

const SHARE = 0.7
const WARM_UP_SECONDS = 5
const SECONDS = 10
const ROUNDS = 5

/** How long answers take at 70 % of what the gateway gets through, at an even pace; load and upstream leave the cores to it. */
export async function calm(): Promise<Figure[]> {
  using upstream = await startUpstream()
  await using under = await startUnderTest({ upstreamPort: upstream.port, ...gatewayOfImage() })
  const url = `${under.gatewayUrl}/v2/workspaces`
  const authorization = `Bearer ${under.token}`
  await throughput({ url, authorization, seconds: WARM_UP_SECONDS })
  const most = await throughput({ url, authorization, seconds: WARM_UP_SECONDS })
  const perSecond = most * SHARE
  const p99s: number[] = []
  for (let round = 0; round < ROUNDS; round += 1)
    p99s.push((await sendPaced({ url, authorization, perSecond, connections: 64, seconds: SECONDS })).p99Ms)
  const name = `gateway: p99 at 70 % load (${Math.round(perSecond)}/s)`
  return [{ name, value: median(p99s), unit: 'ms', goal: 10, needed: 20 }]
}
