import { startAllInOne } from '@platform/testing/platform'
import type { Figure } from '../measure/figure.ts'
import { workspaceToCall } from '../measure/signed-in.ts'
import { emitter } from './emitter.ts'
import { EvenLoad } from './even-load.ts'
import { follow } from './follow.ts'

/** From the beginning of the call that emits until a live reader has the event. */
export async function seenLive(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'warn' })
  const workspace = await workspaceToCall(platform)
  const load = new EvenLoad()
  using _follower = await follow({ origin: platform.origin, ...workspace }, (data) => {
    const { type, payload } = JSON.parse(data) as { type: string; payload: { n: number } }
    if (type === 'bench.event') load.heard(payload.n)
  })
  const emit = emitter(platform.origin, workspace)
  const { p99Ms } = await load.run(emit)
  return [{ name: 'events: emit → seen over SSE, p99', value: p99Ms, unit: 'ms', goal: 50, needed: 150 }]
}
