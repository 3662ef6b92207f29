import { processTree, startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { cpuMeter } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const ROUNDS = 5
const ROUND_MS = 5000

/**
 * POST …/webhooks/greet through the gateway, recorded, its executed event committed: CPU of the platform with
 * PostgreSQL per run.
 */
export async function runs(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'info' })
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const plan = {
    url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/greet`,
    method: 'POST' as const,
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada' }),
    connections: 64,
  }
  const pids = () => processTree(...platform.processes.map(({ pid }) => pid))
  await sendLoad({ ...plan, durationMs: 5000 })

  const rates: number[] = []
  const p99s: number[] = []
  const millis: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const used = cpuMeter(pids)
    const result = await sendLoad({ ...plan, durationMs: ROUND_MS })
    if (result.failures > 0) throw new Error(`${result.failures} of ${result.requests} runs failed.`)
    rates.push(result.requests / result.seconds)
    p99s.push(result.p99Ms)
    millis.push((used() / result.requests) * 1000)
  }
  return [
    { name: 'run: CPU of everything', value: median(millis), unit: 'ms/run', goal: 0.4, needed: 1.5 },
    { name: 'run: rate at 64 connections', value: median(rates), unit: 'runs/s' },
    { name: 'run: p99 at 64 connections', value: median(p99s), unit: 'ms' },
  ]
}
