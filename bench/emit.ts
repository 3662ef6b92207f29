import { startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const ROUNDS = 5
const ROUND_MS = 4000
const BATCH = 50

/** POST …/events through the gateway with fsync on: committed events per second, single and in batches. */
export async function emit(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'info' })
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const planOf = (events: number) => ({
    url: `${platform.origin}/v2/workspaces/${workspaceId}/events`,
    method: 'POST' as const,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      events: Array.from({ length: events }, (_, n) => ({ type: 'bench.event', payload: { n } })),
    }),
    connections: events === 1 ? 64 : 8,
    durationMs: ROUND_MS,
  })
  await sendLoad(planOf(1))
  const rates: Record<number, number[]> = { 1: [], [BATCH]: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const events of [1, BATCH]) {
      const result = await sendLoad(planOf(events))
      if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} calls failed.`)
      rates[events]?.push((result.requests * events) / result.seconds)
    }
  }
  return [
    {
      name: 'emit: one event a call, 64 callers',
      value: median(rates[1] ?? []),
      unit: 'events/s',
      goal: 3000,
      bigger: true,
    },
    {
      name: 'emit: batches of 50, 8 callers',
      value: median(rates[BATCH] ?? []),
      unit: 'events/s',
      goal: 10_000,
      bigger: true,
    },
  ]
}
