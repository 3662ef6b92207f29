import { setTimeout } from 'node:timers/promises'
import { processTree, startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { pssMegabytes } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { growthPerMinute, settled } from './measure/slope.ts'
import { smallMemory } from './measure/small-memory.ts'
import { soakMinutes } from './measure/soak-minutes.ts'

const SAMPLE_MS = 2000
const minutes = soakMinutes(5)

/**
 * Memory of all in one under URL runs as fast as it answers them, and how it grows; started with the flags of `npm
 * start`.
 */
export async function runMemory(): Promise<Figure[]> {
  await using platform = await startAllInOne({ ...smallMemory, RUNTIME_PROCESSES: '1' })
  const { pid } = platform.process('all-in-one')
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const load = sendLoad({
    url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/greet`,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada' }),
    connections: 64,
    durationMs: minutes * 60_000,
  })
  const all: number[] = []
  const node: number[] = []
  const ended = load.then(() => true)
  while (!(await Promise.race([ended, setTimeout(SAMPLE_MS, false)]))) {
    all.push(pssMegabytes(processTree(pid)))
    node.push(pssMegabytes([pid]))
  }
  const { requests, seconds } = await load
  return [
    {
      name: 'memory: all in one under load',
      value: median(settled(all)),
      unit: 'MB PSS',
      goal: 450,
      needed: 450,
    },
    { name: 'memory: of it Node', value: median(settled(node)), unit: 'MB PSS' },
    {
      name: `memory: growth over ${minutes} min of load`,
      value: growthPerMinute(all, SAMPLE_MS),
      unit: 'MB/min',
      goal: 0.5,
    },
    { name: 'memory: rate meanwhile', value: requests / seconds, unit: 'runs/s' },
  ]
}
