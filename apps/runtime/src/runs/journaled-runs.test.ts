import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { defaultEventLimits } from '@platform/outbox'
import { rounds, type TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomProgram } from '../../test/programs.ts'
import { effectWriters } from '../../test/runs.ts'
import {
  compiled,
  emittedEvent,
  runsDatabase,
  type TestCompiled,
  testEngine,
  testFetches,
} from '../../test/testing.ts'
import { contextStore } from '../contexts/context-store.ts'
import { waitWriter } from '../waits/parked-run-store.ts'
import { journalStore } from './journal-store.ts'
import type { ClaimedWork, LeasedRun } from './run.ts'
import { runChangeStore } from './run-change-store.ts'
import { runDetails } from './run-details.ts'
import { runSlots } from './run-slots.ts'
import { type Commits, groupCommits, runStore } from './run-store.ts'
import { slotStore } from './slot-store.ts'
import { workOnRun } from './work-on-run.ts'

const log = createLogger({ level: 'silent' })
const OUTSIDE = 'http://outside.example/'
const abandoned = { gone: [], expired: true }

let database: TestDatabase
beforeAll(async () => {
  database = await runsDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const runs = () => runStore(database, effectWriters, waitWriter)

/** One run on a real database, and who was asked for it. */
function runOf(workspace: TestCompiled, onAsked: (leased: LeasedRun) => void = () => undefined) {
  const id = uuidv7()
  const workspaceId = `w-${id}`
  const requests = new Map<string, string[]>()
  const faults: string[] = []
  const store = runs()
  let count = 0
  let leased: LeasedRun | undefined

  type Send = ReturnType<typeof testFetches>['send']
  const sendWhile =
    (isAlive: () => boolean): Send =>
    async ({ body = '' }, { headers }) => {
      const key = headers['idempotency-key'] ?? ''
      const asked = requests.get(key) ?? []
      if (asked.some((before) => before !== body)) faults.push('one key, two requests')
      const kept = await database.many(
        sql`select 1 from runtime.journal where run_id = ${id} and entries like ${`%"answer"%"${key}"%`}`,
      )
      // What a dead process had begun to ask is nobody's question any more.
      if (!isAlive()) return await new Promise(() => undefined)
      if (kept.length > 0) faults.push('asked again for what was committed')
      requests.set(key, [...asked, body])
      if (leased !== undefined) onAsked(leased)
      count += 1
      const bytes = Buffer.from(JSON.stringify({ count, odd: count % 2 === 1 }))
      return { status: 200, headers: { 'content-type': 'application/json' }, bytes }
    }

  /** Works on it as one process does; answers false when that died at the commit of this number. */
  async function work(claims: ReturnType<typeof store.claimQueued>, dies?: { at: number; isMade: boolean }) {
    const [claimed] = (await claims).filter((run) => run.id === id)
    if (claimed === undefined) throw new Error('There must be a run.')
    const died = Promise.withResolvers<false>()
    const commits = groupCommits(store)
    let made = 0
    let isAlive = true
    const writeClaimed: Commits['writeClaimed'] = async (one) => {
      made += 1
      if (isAlive && made !== dies?.at) return await commits.writeClaimed(one)
      if (isAlive && dies?.isMade === true) await commits.writeClaimed(one)
      isAlive = false
      died.resolve(false)
      return await new Promise(() => undefined)
    }
    leased = { claim: { id, attempt: claimed.attempt }, workspaceId, active: undefined }
    const engine = testEngine({
      contexts: contextStore(database),
      contextSizes: { run: 1e5, user: 1e5, session: 1e5, global: 1e5, socket: 1e5 },
      fetches: {
        ...testFetches(),
        send: sendWhile(() => isAlive),
      },
    })
    const working = workOnRun({
      engine,
      definitions: { find: async () => Object.assign(workspace, { id: workspaceId }) },
      commits: { ...commits, writeClaimed },
      journals: journalStore(database),
      changes: runChangeStore(database),
      slots: runSlots({ slots: slotStore(database), wakeWorkers: () => undefined, log }),
      onWaits: () => undefined,
      timeLimitMs: 20_000,
      details: runDetails('failed'),
      limits: defaultEventLimits,
      log,
    })(claimed, leased, new AbortController().signal)
    return await Promise.race([working.then(() => true), died.promise])
  }

  async function begin() {
    // Those that other programs have started are nobody's to do.
    await database.many(sql`delete from runtime.runs`)
    const content = JSON.stringify({ counted: 0, other: 0 })
    await database.many(sql`insert into runtime.contexts (workspace_id, context, owner, content)
      values (${workspaceId}, 'global', '', ${content})`)
    await store.enqueue([
      {
        ...{ id, workspaceId, automationSlug: 'main', correlationId: id, priority: 0 },
        trigger: { type: 'event', value: 'go' },
        input: { payload: {}, caller: { userId: 'ada', sessionId: 'session' }, depth: 0 },
      },
    ])
  }

  /** What there is of it at its end. */
  async function outcome() {
    const [run] = await database.many<{ status: string; error: unknown }>(
      sql`select status, error from runtime.runs where id = ${id}`,
    )
    const events = await database.many<{ type: string }>(
      sql`select record ->> 'type' as type from outbox.events where workspace_id = ${workspaceId}`,
    )
    const [global] = await database.many<{ counted: number }>(sql`
      select (content ->> 'counted')::int as counted from runtime.contexts
      where workspace_id = ${workspaceId} and context = 'global'`)
    return {
      run,
      types: events.map(({ type }) => type).sort(),
      told: events.filter(({ type }) => type === 'counted').length,
      counted: global?.counted ?? 0,
    }
  }

  return {
    id,
    begin,
    outcome,
    faults,
    requests,
    work: () => work(store.claimQueued('first', 0, 100)),
    workUntil: (dies: { at: number; isMade: boolean }) => work(store.claimQueued('first', 0, 100), dies),
    takeOver: () => work(store.claimAbandoned('second', 0, 100, abandoned)),
  }
}

describe('a run that was abandoned at one of its commits', () => {
  test(`ends the same where another process takes it over (${rounds(25, 300)} programs)`, async () => {
    let takeovers = 0
    for (let seed = 1; seed <= rounds(25, 300); seed += 1) {
      const at = 1 + (seed % 5)
      const run = runOf(compiled(randomProgram(seed, OUTSIDE, { waits: seed % 4 === 0 ? 'short' : 'none' })))
      await run.begin()
      await run.workUntil({ at, isMade: seed % 2 === 0 })
      if ((await run.outcome()).run?.status === 'running') {
        await run.takeOver()
        takeovers += 1
      }
      const { told, counted, run: record } = await run.outcome()
      const place = `program ${seed}, commit ${at}`
      expect(run.faults, place).toEqual([])
      expect(record, place).toEqual({ status: 'succeeded', error: null })
      expect(counted, place).toBe(told)
    }
    expect(takeovers).toBeGreaterThan(15)
  }, 120_000)

  test('and was cancelled runs its finally to the end, once', async () => {
    const count = { set: { name: 'global.counted', value: '{% {{global.counted}} + 1 %}' } }
    const ask = { fetch: { url: OUTSIDE, output: 'answer' } }
    const cleanUp = [count, { emit: { event: 'cleaning' } }, ask, count, { emit: { event: 'cleaned' } }]
    const workspace = compiled({
      main: { do: [{ try: { do: [ask], finally: cleanUp } }, { emit: { event: 'never' } }] },
    })
    // Dies in its finally: when the question there may leave, and at its end.
    for (const dies of [
      { at: 1, isMade: true },
      { at: 2, isMade: false },
    ]) {
      const run = runOf(workspace, ({ active, claim }) => {
        active?.cancel({ reason: 'enough', requests: 1 })
        cancelling ??= database.many(
          sql`update runtime.runs set cancel_requests = 1, cancel_reason = 'enough' where id = ${claim.id}`,
        )
      })
      let cancelling: Promise<unknown> | undefined
      await run.begin()
      expect(await run.workUntil(dies)).toBe(false)
      await cancelling
      await run.takeOver()
      const { types, counted, run: record } = await run.outcome()
      expect(record).toMatchObject({
        status: 'cancelled',
        error: { message: expect.stringContaining('enough') },
      })
      expect(types).toEqual(['cleaned', 'cleaning', 'runtime.automations.executed'])
      expect(counted).toBe(2)
      expect(run.faults).toEqual([])
    }
  })

  test('sets a context once, emits once, and sends what was not answered again with its key', async () => {
    const run = runOf(
      compiled({
        main: {
          do: [
            { set: { name: 'global.counted', value: '{% {{global.counted}} + 1 %}' } },
            { fetch: { url: OUTSIDE, output: 'first' } },
            { emit: { event: 'first' } },
            { fetch: { url: OUTSIDE, method: 'post', body: '{{first}}' } },
            { emit: { event: 'second' } },
          ],
        },
      }),
    )
    await run.begin()
    // Dies when the first answer is committed, before the second request leaves.
    expect(await run.workUntil({ at: 2, isMade: true })).toBe(false)
    await run.takeOver()
    const { types, counted } = await run.outcome()
    expect(types).toEqual(['first', 'runtime.automations.executed', 'second'])
    expect(counted).toBe(1)
    expect([...run.requests.values()].map((bodies) => bodies.length)).toEqual([1, 1])
  })
})

test('a commit of a lost claim keeps nothing, also of its journal, and its neighbours are kept', async () => {
  const store = runs()
  const ids = [uuidv7(), uuidv7()]
  const [lost, kept] = ids.map((id) => ({
    ...{ id, workspaceId: `w-${id}`, automationSlug: 'main', correlationId: id, priority: 0 },
    trigger: { type: 'event' as const, value: 'go' },
    input: { payload: {}, caller: {}, depth: 0 },
  }))
  if (lost === undefined || kept === undefined) throw new Error('There must be two.')
  await store.enqueue([lost])
  await store.claimQueued('first', 0, 100)
  await store.claimAbandoned('second', 60, 100, abandoned)
  await store.enqueue([kept])
  await store.claimQueued('first', 60, 100)
  const work = [lost, kept].map(
    ({ id, workspaceId }): ClaimedWork => ({
      claim: { id, attempt: 1 },
      effects: {
        events: [emittedEvent(workspaceId, 'told')],
        queued: [],
        patches: [],
        segment: { try: 0, segment: 0, upto: 1, reads: 0, place: 1, entries: '[]' },
      },
      end: undefined,
    }),
  )
  expect((await store.writeClaimed(work)).map(({ claim }) => claim.id)).toEqual([kept.id])
  expect(await journalStore(database).list(lost.id, 0)).toEqual([])
  expect(await journalStore(database).list(kept.id, 0)).toMatchObject([{ segment: 0, upto: 1 }])
  const told = await database.many<{ id: string }>(
    sql`select workspace_id as id from outbox.events
      where workspace_id = any(${[lost.workspaceId, kept.workspaceId]}::text[])`,
  )
  expect(told).toEqual([{ id: kept.workspaceId }])
})
