import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Database, openDatabase, reachEmbedded, sql } from '@platform/database'
import { processTree, startAllInOne } from '@platform/testing/platform'
import { emitter } from './events/emitter.ts'
import { liveLatency } from './events/live-latency.ts'
import { type Figure, median } from './measure/figure.ts'
import { pssMegabytes } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const RUNS = 100_000
const EVENTS_PER_CALL = 100
const CALLS_AT_ONCE = 4
const PATIENCE_MS = 300_000
/** What is dead is collected, and connections that are no longer used are closed, before memory is measured. */
const REST_MS = 30_000
const SAMPLES = 5
const PACE = { perSecond: 20, seconds: 20, atOnce: 1, warmUpSeconds: 5 }

/**
 * Runs that wait for an event each, told apart by a value in it: what they cost in memory, of all processes and
 * PostgreSQL, beside as many that have waited for a moment and are over; and how long it takes from the call that emits
 * such an event until a live reader sees what the run does next.
 */
export async function waiting(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(
    await startAllInOne({ ...smallMemory, LOG_LEVEL: 'warn', RUNTIME_PROCESSES: '1' }),
  )
  const server = await reachEmbedded(join(platform.env.DATA_DIRECTORY ?? '', 'postgres'))
  const database = stack.use(await openDatabase(server?.url ?? '', { poolSize: 1 }))
  const workspace = await workspaceToCall(platform)
  const automation = (slug: string, timeout: string) => ({
    slug,
    name: slug,
    when: { events: [`bench.${slug}`] },
    do: [
      { wait: { oneOf: [{ event: 'bench.event', filters: { 'payload.n': '{{payload.n}}' } }], timeout } },
      { emit: { event: 'bench.effect', payload: { n: '{{payload.n}}' } } },
    ],
  })
  for (const one of [automation('briefly', '1s'), automation('long', '1d')])
    await workspace.post(`/v2/workspaces/${workspace.workspaceId}/automations`, one)

  const memory = async (): Promise<number> => {
    await setTimeout(REST_MS)
    const samples: number[] = []
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      samples.push(pssMegabytes(processTree(...platform.processes.map(({ pid }) => pid))))
      await setTimeout(1000)
    }
    return median(samples)
  }
  await begin(RUNS, emitter(platform.origin, workspace, 'bench.briefly'))
  await untilWaiting(database, 0)
  const before = await memory()
  await begin(RUNS, emitter(platform.origin, workspace, 'bench.long'))
  await untilWaiting(database, RUNS)
  const after = await memory()

  const place = { origin: platform.origin, ...workspace }
  const { p50Ms, p99Ms } = await liveLatency(place, 'bench.effect', PACE)
  const name = `${RUNS} waiting runs:`
  return [
    { name: `${name} memory of everything`, value: after - before, unit: 'MB PSS', needed: 100 },
    { name: `${name} event → effect of the run that waited for it, p50`, value: p50Ms, unit: 'ms' },
    {
      name: `${name} event → effect of the run that waited for it, p99`,
      value: p99Ms,
      unit: 'ms',
      needed: 1000,
    },
  ]
}

/** Emits an event for each of so many runs, by several callers beside each other. */
async function begin(count: number, emit: (...payloads: { n: number }[]) => Promise<void>): Promise<void> {
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < count) {
      const from = next
      next += EVENTS_PER_CALL
      const numbers = Array.from({ length: Math.min(EVENTS_PER_CALL, count - from) }, (_, at) => from + at)
      await emit(...numbers.map((n) => ({ n })))
    }
  }
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, caller))
}

/** Resolves when so many runs wait, and none is queued or under way. */
async function untilWaiting(database: Database, count: number): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS
  let last: { waiting: number; others: number } | undefined
  while (performance.now() < endsAt) {
    const [found] = await database.many<{ waiting: number; others: number }>(sql`
      select (select count(*) from runtime.waits where record is null and not closed)::int as waiting,
        (select count(*) from runtime.runs where finished_at is null and status <> 'waiting')::int as others`)
    last = found
    if (found?.waiting === count && found.others === 0) return
    await setTimeout(1000)
  }
  throw new Error(
    `${last?.waiting} runs waited and ${last?.others} were to begin, where ${count} should wait.`,
  )
}
