import { DatabaseError, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { defaultEventLimits } from '@platform/outbox'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { effectWriters } from '../../test/runs.ts'
import { compiled, runsDatabase, testEngine } from '../../test/testing.ts'
import { journalStore } from './journal-store.ts'
import { runChangeStore } from './run-change-store.ts'
import { runDetails } from './run-details.ts'
import { runSlots } from './run-slots.ts'
import { groupCommits, runStore } from './run-store.ts'
import { slotStore } from './slot-store.ts'
import { workOnRun } from './work-on-run.ts'
import { WorkQueue } from './work-queue.ts'

const log = createLogger({ level: 'silent' })
let database: TestDatabase

beforeAll(async () => {
  database = await runsDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const away = () => new DatabaseError('The database does not answer.', { unavailable: true })

describe('a run whose database is away again and again', () => {
  test('is given back each time by the worker that lives, and never given up', async () => {
    const runs = runStore(database, effectWriters)
    const workspace = compiled({ main: { output: '{{global.a}}' } })
    let outages = 6
    const load = async () => {
      outages -= 1
      if (outages >= 0) throw away()
      return { values: {}, ending: [] }
    }
    let refusals = 2
    const work = workOnRun({
      engine: testEngine({ contexts: { load } }),
      definitions: { find: async () => workspace },
      commits: groupCommits(runs),
      journals: journalStore(database),
      changes: runChangeStore(database),
      slots: runSlots({ slots: slotStore(database), wakeWorkers: () => undefined, log }),
      onWaits: () => undefined,
      timeLimitMs: 5000,
      details: runDetails('failed'),
      limits: defaultEventLimits,
      log,
    })
    const queue = new WorkQueue({
      runs: {
        ...runs,
        // Still away when it is given back first.
        release: async (claims) => {
          refusals -= 1
          if (refusals >= 0) throw away()
          return await runs.release(claims)
        },
      },
      ...{ work, log, concurrency: 2, leaseSeconds: 60, pollMs: 20, giveBackMs: 50 },
      worker: () => 'w',
      lookForHolders: async () => ({ gone: [], isSettled: true }),
      listen: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
    })
    const run = {
      id: uuidv7(),
      workspaceId: workspace.id,
      automationSlug: 'main',
      trigger: { type: 'event', value: 'x' },
      correlationId: 'corr',
      input: { payload: {}, caller: {}, depth: 0 },
    } as const
    await runs.enqueue([run])
    const stopping = new AbortController()
    const working = queue.jobs[0]?.run(stopping.signal)
    await vi.waitFor(
      async () =>
        expect(await database.many(sql`select status, attempt, deaths from runtime.runs`)).toEqual([
          { status: 'succeeded', attempt: 7, deaths: 0 },
        ]),
      { timeout: 30_000, interval: 50 },
    )
    stopping.abort()
    await working
  }, 40_000)
})
