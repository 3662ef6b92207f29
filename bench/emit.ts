import { startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { secondsUntilShown } from './measure/until-shown.ts'
import { throughput } from './measure/wrk.ts'

const ROUNDS = 5
const SECONDS = 4
const BATCH = 50
/** As long as a burst that the log must not fall behind. */
const BURST_SECONDS = 20

/**
 * POST …/events through the gateway with fsync on: committed events per second, single and in batches; and how many
 * of a burst are accepted and in the feed, counted until the last of them is there.
 */
export async function emit(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'info' })
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const url = `${platform.origin}/v2/workspaces/${workspaceId}/events`
  const perSecond = async (events: number, seconds = SECONDS) => {
    const calls = await throughput({
      url,
      authorization,
      seconds,
      connections: events === 1 ? 64 : 8,
      json: JSON.stringify({
        events: Array.from({ length: events }, (_, n) => ({ type: 'bench.event', payload: { n } })),
      }),
    })
    return calls * events
  }
  await perSecond(1)
  const rates: Record<number, number[]> = { 1: [], [BATCH]: [] }
  for (let round = 0; round < ROUNDS; round += 1)
    for (const events of [1, BATCH]) rates[events]?.push(await perSecond(events))
  const accepted = (await perSecond(BATCH, BURST_SECONDS)) * BURST_SECONDS
  const behind = await secondsUntilShown(url, authorization)
  return [
    {
      name: 'emit: one event a call, 64 callers',
      value: median(rates[1] ?? []),
      unit: 'events/s',
      goal: 3000,
      needed: 2000,
      bigger: true,
    },
    {
      name: 'emit: batches of 50, 8 callers',
      value: median(rates[BATCH] ?? []),
      unit: 'events/s',
      goal: 10_000,
      needed: 8000,
      bigger: true,
    },
    {
      name: `emit: accepted and in the feed, a burst of ${BURST_SECONDS} s`,
      value: accepted / (BURST_SECONDS + behind),
      unit: 'events/s',
      bigger: true,
    },
    { name: 'emit: the last of the burst is in the feed after', value: behind, unit: 's' },
  ]
}
