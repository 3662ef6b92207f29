import { DatabaseError, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { defaultEventLimits } from '@platform/outbox'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { effectWriters } from '../../test/runs.ts'
import { compiled, runsDatabase, testEngine } from '../../test/testing.ts'
import { RefusedAutomations } from '../processes/refused-automations.ts'
import { journalStore } from './journal-store.ts'
import { suspectsOf } from './quarantine.ts'
import type { ClaimedRun } from './run.ts'
import { runChangeStore } from './run-change-store.ts'
import { runDetails } from './run-details.ts'
import { runSlots } from './run-slots.ts'
import { groupCommits, runStore } from './run-store.ts'
import { slotStore } from './slot-store.ts'
import { suspectStore } from './suspect-store.ts'
import { workOnRun } from './work-on-run.ts'

const log = createLogger({ level: 'silent' })
let database: TestDatabase

beforeAll(async () => {
  database = await runsDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

describe('a run that an event triggered', () => {
  test('is done again when a store was away, and fails for no reason of ours', async () => {
    const runs = runStore(database, effectWriters)
    const workspace = compiled({ main: { output: '{{global.a}}' } })
    let isAway = true
    const load = async () => {
      if (isAway) throw new DatabaseError('The database does not answer.', { unavailable: true })
      return { values: {}, ending: [] }
    }
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
    const doNext = async (claimed: ReturnType<typeof runs.claimQueued>) => {
      const [run] = await claimed
      if (run === undefined) throw new Error('There must be a run.')
      const { id, attempt, workspaceId } = run
      const held = { claim: { id, attempt }, workspaceId, active: undefined }
      return await work(run, held, new AbortController().signal)
    }
    await runs.enqueue([
      {
        id: uuidv7(),
        workspaceId: workspace.id,
        automationSlug: 'main',
        trigger: { type: 'event', value: 'x' },
        correlationId: 'corr',
        input: { payload: {}, caller: {}, depth: 0 },
      },
    ])

    await expect(doNext(runs.claimQueued('w', 0, 1))).rejects.toThrow('does not answer')
    isAway = false
    await doNext(runs.claimAbandoned('w', 0, 1, { gone: [], expired: true }))
    expect(await database.many(sql`select status, attempt from runtime.runs`)).toEqual([
      { status: 'succeeded', attempt: 2 },
    ])
  })

  test('is set aside after five crashes where it can be done apart, and given up after ten there', async () => {
    const runs = runStore(database, effectWriters)
    const workspace = compiled({ main: {} })
    const suspects = suspectStore(database)
    const workIn = (role: 'serving' | 'aside') =>
      workOnRun({
        engine: testEngine(),
        definitions: { find: async () => workspace },
        commits: groupCommits(runs),
        journals: journalStore(database),
        changes: runChangeStore(database),
        slots: runSlots({ slots: slotStore(database), wakeWorkers: () => undefined, log }),
        onWaits: () => undefined,
        suspects: suspectsOf({
          isApart: role === 'aside',
          refused: new RefusedAutomations(),
          store: suspects,
          onFound: () => undefined,
        }),
        timeLimitMs: 5000,
        details: runDetails('failed'),
        limits: defaultEventLimits,
        log,
      })
    const afterCrashes = async (count: number) => {
      const id = uuidv7()
      const input = { payload: {}, caller: {}, depth: 0 }
      const trigger = { type: 'event', value: 'x' } as const
      await runs.enqueue([
        { id, workspaceId: workspace.id, automationSlug: 'main', correlationId: 'corr', trigger, input },
      ])
      await database.many(sql`update runtime.runs set deaths = ${count} where id = ${id}`)
      return id
    }
    const work = async (role: 'serving' | 'aside', [run]: ClaimedRun[]) => {
      if (run === undefined) throw new Error('There must be a run.')
      const { id, attempt, workspaceId } = run
      const held = { claim: { id, attempt }, workspaceId, active: undefined }
      await workIn(role)(run, held, new AbortController().signal)
      const [row] = await database.many(
        sql`select status, waits_for as "waitsFor", dead_letter as "isDeadLetter" from runtime.runs where id = ${id}`,
      )
      return row
    }
    await afterCrashes(5)
    expect(await work('serving', await runs.claimQueued('w', 10, 1))).toMatchObject({
      status: 'waiting',
      waitsFor: 'quarantine',
    })
    expect(await work('aside', await suspects.claim('w', 10))).toMatchObject({ status: 'succeeded' })
    await afterCrashes(10)
    expect(await work('serving', await runs.claimQueued('w', 10, 1))).toMatchObject({
      status: 'failed',
      isDeadLetter: true,
    })
  })

  test('is not begun again once it was cancelled', async () => {
    const runs = runStore(database, effectWriters)
    const workspace = compiled({ main: { do: [{ emit: { event: 'begun.again' } }] } })
    const id = uuidv7()
    await runs.enqueue([
      {
        ...{ id, workspaceId: workspace.id, automationSlug: 'main', correlationId: 'corr' },
        trigger: { type: 'event', value: 'x' },
        input: { payload: {}, caller: {}, depth: 0 },
      },
    ])
    await runs.claimQueued('dies', 0, 1)
    const note = async () => undefined
    await runChangeStore(database).cancel({ workspaceId: workspace.id, runId: id, note }, 'enough')
    const [run] = await runs.claimAbandoned('w', 10, 1, { gone: [], expired: true })
    if (run === undefined) throw new Error('There must be a run.')

    const work = workOnRun({
      engine: testEngine(),
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
    const held = { claim: { id, attempt: run.attempt }, workspaceId: workspace.id, active: undefined }
    await work(run, held, new AbortController().signal)

    const rows = await database.many(
      sql`select status, error ->> 'message' as said from runtime.runs where id = ${id}`,
    )
    expect(rows).toEqual([{ status: 'cancelled', said: 'The run was cancelled: enough' }])
    expect(
      await database.many(sql`select 1 from outbox.events where record ->> 'type' = 'begun.again'`),
    ).toEqual([])
  })
})
