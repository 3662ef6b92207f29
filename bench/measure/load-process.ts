import { setTimeout as rest } from 'node:timers/promises'
import { Pool } from 'undici'
import type { LoadPlan, LoadResult } from './load.ts'

/** Keeps every connection busy, apart from its rests, until the time is over. */
async function run(plan: LoadPlan): Promise<LoadResult> {
  const { origin, pathname, search } = new URL(plan.url)
  const pool = new Pool(origin, { connections: plan.connections, pipelining: 1 })
  const latencies: number[] = []
  let failures = 0
  const started = performance.now()
  const end = started + plan.durationMs

  const worker = async () => {
    while (performance.now() < end) {
      const sent = performance.now()
      try {
        const answer = await pool.request({
          path: pathname + search,
          method: plan.method,
          headers: plan.headers,
          body: plan.body ?? null,
        })
        await answer.body.dump()
        if (answer.statusCode >= 400) failures += 1
      } catch {
        failures += 1
      }
      latencies.push(performance.now() - sent)
      if (plan.restMs !== undefined) await rest(plan.restMs)
    }
  }
  await Promise.all(Array.from({ length: plan.connections }, worker))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  latencies.sort((a, b) => a - b)
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return { requests: latencies.length, failures, seconds, p50Ms: at(0.5), p99Ms: at(0.99) }
}

process.once('message', (plan: LoadPlan) => {
  void run(plan).then((result) => process.send?.(result, () => process.disconnect()))
})
