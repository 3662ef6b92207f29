import { startAllInOne } from '@platform/testing/platform'
import type { Figure } from '../measure/figure.ts'
import { workspaceToCall } from '../measure/signed-in.ts'
import { liveLatency } from './live-latency.ts'

/** From the beginning of the call that emits until a live reader has the event. */
export async function seenLive(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'warn' })
  const workspace = await workspaceToCall(platform)
  const { p99Ms } = await liveLatency({ origin: platform.origin, ...workspace }, 'bench.event')
  return [{ name: 'events: emit → seen over SSE, p99', value: p99Ms, unit: 'ms', goal: 50, needed: 150 }]
}
