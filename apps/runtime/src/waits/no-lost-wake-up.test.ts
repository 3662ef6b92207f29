import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { rounds } from '@platform/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { emittedEvent, runtimeDatabaseUrl, startRuntime, type TestRuntime } from '../../test/testing.ts'
import type { Step } from '../../test/waits.ts'

const RUNS = rounds(200, 5000)
const WAVE = 100
const env = { RATE_LIMIT_DISABLED: 'true' }

let databaseUrl: string
/** Takes calls, and handles events when nobody else does. */
let steady: TestRuntime

beforeAll(async () => {
  databaseUrl = await runtimeDatabaseUrl()
  steady = await startRuntime({ databaseUrl, env })
})
afterAll(() => steady[Symbol.asyncDispose]())

const tell = (payload: Step): Step => ({ emit: { event: 'told', payload } })

/** Begins at an event, rests for as long as it says, and waits for its answer. */
const asking = {
  main: {
    when: { events: ['go'] },
    do: [
      { emit: { event: 'asked', payload: { n: '{{payload.n}}' } } },
      { wait: { timeout: '{{payload.rest}}' } },
      {
        wait: {
          oneOf: [{ event: 'other' }, { event: 'answered', filters: { 'payload.n': '{{payload.n}}' } }],
          timeout: 60,
          output: 'event',
        },
      },
      tell({ n: '{{event.payload.n}}' }),
    ],
  },
}

const eventsOf = (workspaceId: string, type: string, wave: readonly number[]) =>
  wave.map((n) => emittedEvent(workspaceId, type, { n, rest: (n % 7) * 0.005 }))

async function insert(events: ReturnType<typeof emittedEvent>[]): Promise<void> {
  await steady.database.many(insertEvents(events))
  steady.database.notify('outbox')
}

async function expectAllTold(workspaceId: string, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await steady.events(workspaceId, 'told')).toHaveLength(count), {
    timeout: 50_000,
    interval: 50,
  })
  const numbers = (await steady.events(workspaceId, 'told')).map(
    ({ payload }) => (payload as { n: number }).n,
  )
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n))
}

const waves = (count: number): number[][] =>
  Array.from({ length: Math.ceil(count / WAVE) }, (_, wave) =>
    Array.from({ length: Math.min(WAVE, count - wave * WAVE) }, (__, n) => wave * WAVE + n),
  )

/** An event that comes while its run is still on its way to the wait, or is just being given up. */
test(`an answer that comes at once is found, while readers change hands (${RUNS} runs)`, async () => {
  const workspace = await steady.workspace({
    ...asking,
    answer: {
      when: { events: ['asked'] },
      do: [{ emit: { event: 'answered', payload: { n: '{{payload.n}}' } } }],
    },
  })
  let count = 0
  for (const wave of waves(RUNS)) {
    await using other = await startRuntime({ databaseUrl, env })
    await insert(eventsOf(workspace.id, 'go', wave))
    count += wave.length
    await vi.waitFor(
      async () =>
        expect((await other.events(workspace.id, 'told')).length).toBeGreaterThan(count - wave.length / 2),
      { timeout: 30_000, interval: 20 },
    )
    // The reader of the log is the first that was there: with it gone, another takes over in the middle.
    if (wave[0] === 0) await steady[Symbol.asyncDispose]()
    if (wave[0] === 0) steady = await startRuntime({ databaseUrl, env })
  }
  await expectAllTold(workspace.id, RUNS)
}, 600_000)

/** The runs that have begun, and have no answer yet. */
async function begunRuns(workspaceId: string, answered: ReadonlySet<number>): Promise<number[]> {
  const rows = await steady.database.many<{ n: number }>(sql`
    select (input #>> '{payload,payload,n}')::int as n from runtime.runs
    where workspace_id = ${workspaceId} and attempt > 0`)
  return rows.map(({ n }) => n).filter((n) => !answered.has(n))
}

test(`an answer in a transaction that is open meanwhile is found (${RUNS} runs)`, async () => {
  const workspace = await steady.workspace(asking)
  const answered = new Set<number>()
  for (const wave of waves(RUNS)) await insert(eventsOf(workspace.id, 'go', wave))
  while (answered.size < RUNS) {
    const wave = (await begunRuns(workspace.id, answered)).slice(0, WAVE)
    for (const n of wave) answered.add(n)
    await steady.database.transaction(async (tx) => {
      if (wave.length > 0) await tx.many(insertEvents(eventsOf(workspace.id, 'answered', wave)))
      for (let rests = 0; rests < 3; rests += 1) await tx.many(sql`select pg_sleep(${Math.random() / 50})`)
    })
    steady.database.notify('outbox')
  }
  await expectAllTold(workspace.id, RUNS)
}, 600_000)
