import { setTimeout as pause } from 'node:timers/promises'
import { type Cache, openCache } from '@platform/cache'
import { startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'

/** Steps in one run. */
const STEPS = 200
const ROUNDS = 25
/** What follows a run (its events, the log, search) is over before the next one begins. */
const SETTLED_MS = 150

const counting = {
  rateLimit: { name: 'bench', window: 60, limit: 1_000_000_000, consumer: '{{$index}}', output: 'out' },
}
const repeated = (step: Record<string, unknown>) => [{ repeat: { until: STEPS, do: [step] } }]
const automations = {
  nothing: repeated({ set: { name: 'out', value: '{{$index}}' } }),
  limited: repeated(counting),
}

/** How much longer a run takes by a `rateLimit`, where all instances count together (TEST_CACHE_URL) or one alone. */
export async function rateLimit(): Promise<Figure[]> {
  const { TEST_CACHE_URL: cacheUrl } = process.env
  const cache: Record<string, string> = cacheUrl === undefined ? {} : { CACHE_URL: cacheUrl }
  // It connects while the platform starts.
  await using opened = cacheUrl === undefined ? undefined : await openCache(cacheUrl)
  await using platform = await startAllInOne({ LOG_LEVEL: 'info', RATE_LIMIT_DISABLED: 'true', ...cache })
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const base = `${platform.origin}/v2/workspaces/${workspaceId}`
  const headers = { authorization, 'content-type': 'application/json' }
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
    await answer.arrayBuffer()
  }
  for (const [slug, steps] of Object.entries(automations))
    await post('automations', { slug, name: slug, when: { endpoint: true }, do: steps })
  const microseconds = async (slug: string): Promise<number> => {
    await pause(SETTLED_MS)
    const begunAt = performance.now()
    await post(`webhooks/${slug}`, {})
    return ((performance.now() - begunAt) * 1000) / STEPS
  }
  const added: number[] = []
  for (let round = -5; round < ROUNDS; round += 1) {
    const nothing = await microseconds('nothing')
    const limited = await microseconds('limited')
    if (round >= 0) added.push(limited - nothing)
  }
  const bare = opened === undefined ? [] : [await roundTrip(opened)]
  const name = `rateLimit ${cacheUrl === undefined ? 'in one process' : 'with Redis'}, added to a run`
  return [...bare, { name, value: median(added), unit: 'µs', goal: 60, needed: 120 }]
}

/** What the machine takes for a question to the cache and its answer, which a limit can't be quicker than. */
async function roundTrip(cache: Cache): Promise<Figure> {
  const each: number[] = []
  for (let round = -5; round < ROUNDS; round += 1) {
    const begunAt = performance.now()
    for (let n = 0; n < STEPS; n += 1) await cache.get('bench')
    if (round >= 0) each.push(((performance.now() - begunAt) * 1000) / STEPS)
  }
  return { name: 'a bare question to Redis', value: median(each), unit: 'µs' }
}
