import { startAllInOne } from '@platform/testing/platform'
import { liveLatency } from './events/live-latency.ts'
import type { Figure } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

/** Five a call, as a busy client would, and so that calls aren't what is measured. */
const PACE = { perSecond: 500, seconds: 10, atOnce: 5, warmUpSeconds: 10 }

/**
 * Events at an even pace that trigger an automation which emits one itself: from the beginning of the call that emits
 * until a live reader sees what the run has emitted.
 */
export async function effects(): Promise<Figure[]> {
  await using platform = await startAllInOne({
    ...smallMemory,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_DISABLED: 'true',
  })
  const workspace = await workspaceToCall(platform)
  await workspace.post(`/v2/workspaces/${workspace.workspaceId}/automations`, {
    slug: 'react',
    name: 'react',
    when: { events: ['bench.event'] },
    do: [{ emit: { event: 'bench.effect', payload: { n: '{{payload.n}}' } } }],
  })
  const place = { origin: platform.origin, ...workspace }
  const { p50Ms, p99Ms } = await liveLatency(place, 'bench.effect', PACE)
  const name = `event → effect of the run it triggered, ${PACE.perSecond}/s:`
  return [
    { name: `${name} p50`, value: p50Ms, unit: 'ms' },
    { name: `${name} p99`, value: p99Ms, unit: 'ms', goal: 50, needed: 120 },
  ]
}
