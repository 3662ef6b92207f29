import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { insertEvents } from '@platform/outbox'
import { rounds } from '@platform/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime, type TestRuntime } from '../../test/testing.ts'
import { emit, parkedRuns, workspaceOf } from '../../test/waits.ts'
import { keyOf } from './wait-filter.ts'

const RUNS = rounds(2000, 100_000)
const EVENTS = rounds(50, 1000)
const BATCH = 5000

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { RATE_LIMIT_DISABLED: 'true' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

/** As many runs like this one, each waiting for an event of its own. */
async function copy(runId: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => from + index)
    const ids = numbers.map(() => uuidv7())
    const filters = numbers.map((n) => ({ 'payload.n': n }))
    const rows = sql`unnest(${ids}::uuid[], ${filters.map((one) => JSON.stringify(one))}::text[],
      ${filters.map((one) => keyOf(one).valueHash)}::int[]) as c (id, filters, hash)`
    await runtime.database.transaction(
      async (tx) => {
        await tx.many(sql`insert into runtime.runs select (jsonb_populate_record(r, jsonb_build_object('id', c.id))).*
        from runtime.runs r, ${rows} where r.id = ${runId}`)
        await tx.many(sql`
        insert into runtime.journal select (jsonb_populate_record(j, jsonb_build_object('run_id', c.id))).*
        from runtime.journal j, ${rows} where j.run_id = ${runId}`)
        await tx.many(sql`insert into runtime.waits select (jsonb_populate_record(w, jsonb_build_object('run_id', c.id,
          'filters', c.filters::json, 'path', 'payload.n', 'value_hash', c.hash))).*
        from runtime.waits w, ${rows} where w.run_id = ${runId}`)
      },
      { timeoutMs: 60_000 },
    )
  }
}

test(`each of ${EVENTS} events finds its run among ${RUNS} that wait, and nothing of those is in memory`, async () => {
  const { id } = await workspaceOf(runtime, [
    {
      wait: {
        oneOf: [{ event: 'mine', filters: { 'payload.n': '{{payload.n}}' } }],
        timeout: '1d',
        output: 'event',
      },
    },
    { emit: { event: 'told', payload: { n: '{{event.payload.n}}' } } },
  ])
  await emit(runtime, id, 'go', { n: -1 })
  const [first] = await parkedRuns(runtime, id)
  await copy(first?.id ?? '', RUNS)
  await runtime.database.many(sql`analyze runtime.waits`)
  const before = process.memoryUsage().rss
  const chosen = Array.from({ length: EVENTS }, (_, index) => Math.floor((index * RUNS) / EVENTS))
  const lateness: number[] = []
  for (const n of chosen.slice(0, 20)) {
    const startedAt = performance.now()
    await runtime.database.many(insertEvents([emittedEvent(id, 'mine', { n })]))
    runtime.database.notify('outbox')
    await vi.waitFor(
      async () => {
        const [event] = await runtime.database.many(sql`
        select 1 from outbox.events
        where workspace_id = ${id} and type = 'told' and record #>> '{payload,n}' = ${String(n)}`)
        expect(event).toBeDefined()
      },
      { timeout: 10_000, interval: 5 },
    )
    lateness.push(performance.now() - startedAt)
  }
  await runtime.database.many(insertEvents(chosen.slice(20).map((n) => emittedEvent(id, 'mine', { n }))))
  const startedAt = performance.now()
  runtime.database.notify('outbox')
  const begun = () =>
    runtime.database.many<{ count: number }>(sql`
      select count(*)::int as count from runtime.runs where workspace_id = ${id} and attempt > 1`)
  await vi.waitFor(async () => expect((await begun())[0]?.count).toBe(EVENTS), {
    timeout: 60_000,
    interval: 20,
  })
  const allMs = performance.now() - startedAt
  const grown = (process.memoryUsage().rss - before) / 1e6
  const sorted = lateness.sort((a, b) => a - b)
  console.info(
    `one at a time: ${sorted[10]?.toFixed(0)} ms, at most ${sorted.at(-1)?.toFixed(0)} ms; ` +
      `${EVENTS - 20} at once: ${allMs.toFixed(0)} ms; process grew by ${grown.toFixed(0)} MB`,
  )
  expect(grown).toBeLessThan(100)
  expect(sorted[10]).toBeLessThan(1000)
}, 300_000)
