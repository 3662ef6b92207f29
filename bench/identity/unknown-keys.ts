import type { UnderTest } from '../forwarding/processes-under-test.ts'
import type { Figure } from '../measure/figure.ts'
import { type PacedPlan, sendPaced } from './paced.ts'

const VALID_PER_SECOND = 200
const FLOOD_PER_SECOND = 2000
const DURATION_MS = 15_000

/** A flood of JWTs that name unknown keys, beside callers whose tokens are good. */
export async function unknownKeys(under: UnderTest): Promise<Figure[]> {
  const issuer = new URL('/oidc', under.gatewayUrl.replace('127.0.0.1', 'localhost')).href
  const valid: PacedPlan = {
    url: `${under.gatewayUrl}/v2/pages`,
    authorization: `Bearer ${under.token}`,
    issuer,
    perSecond: VALID_PER_SECOND,
    connections: 32,
    durationMs: DURATION_MS,
  }
  const nobody: PacedPlan = { ...valid, authorization: '', perSecond: FLOOD_PER_SECOND, connections: 512 }
  // The yardstick carries as many requests as the flood, of callers without a credential: what counts is what the
  // forgery costs.
  const [baseline] = await Promise.all([sendPaced(valid), sendPaced(nobody)])
  const [flooded, flood] = await Promise.all([
    sendPaced(valid),
    sendPaced({ ...nobody, authorization: 'unknown keys' }),
  ])
  const wrong = Object.entries(flooded.statuses).filter(([status]) => status !== '200')
  if (wrong.length > 0) throw new Error(`Valid callers were answered ${JSON.stringify(flooded.statuses)}.`)
  return [
    { name: 'identity: forged JWTs refused', value: flood.perSecond, unit: '/s' },
    { name: 'identity: p99 of valid callers, same load without forgery', value: baseline.p99Ms, unit: 'ms' },
    {
      name: 'identity: p99 of valid callers under forgery',
      value: flooded.p99Ms,
      unit: 'ms',
      against: 'without it',
      ratio: flooded.p99Ms / baseline.p99Ms,
      needed: 2,
    },
  ]
}
