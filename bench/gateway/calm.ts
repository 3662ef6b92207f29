import { startUnderTest } from '../forwarding/processes-under-test.ts'
import { sendPaced } from '../identity/paced.ts'
import type { Figure } from '../measure/figure.ts'
import { throughput } from '../measure/wrk.ts'
import { startUpstream } from './haproxy.ts'
import { gatewayOfImage } from './image.ts'

const SHARE = 0.7
const SECONDS = 5

/** How long answers take at 70 % of what the gateway gets through, at an even pace; load and upstream leave the cores to it. */
export async function calm(): Promise<Figure[]> {
  using upstream = await startUpstream()
  await using under = await startUnderTest({ upstreamPort: upstream.port, ...gatewayOfImage() })
  const url = `${under.gatewayUrl}/v2/workspaces`
  const authorization = `Bearer ${under.token}`
  await throughput({ url, authorization, seconds: SECONDS })
  const most = await throughput({ url, authorization, seconds: SECONDS })
  const { statuses, perSecond, p99Ms } = await sendPaced({
    ...{ url, authorization, issuer: '' },
    ...{ perSecond: Math.round(most * SHARE), connections: 64, durationMs: 10_000 },
  })
  const others = Object.keys(statuses).filter((status) => status !== '200')
  if (others.length > 0) throw new Error(`Some requests were answered with ${others.join(', ')}.`)
  const name = `gateway: p99 at 70 % load (${Math.round(perSecond)}/s)`
  return [{ name, value: p99Ms, unit: 'ms', goal: 10, needed: 20 }]
}
