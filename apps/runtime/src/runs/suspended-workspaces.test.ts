import {
  bulkRuns,
  getRun,
  listRuns,
  type Run,
  replayRun,
  retryRun,
  runFunction,
  runScheduleNow,
  runTests,
  testAutomation,
  workspaceEvents,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { buildRecord, insertEvents } from '@platform/outbox'
import { permissionStore } from '@platform/permissions'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Gate, startGate } from '../../test/gate.ts'
import { endedRun, insertRuns } from '../../test/runs.ts'
import { startRuntime, type TestAutomations, type TestRuntime } from '../../test/testing.ts'
import { emit, parkedRuns } from '../../test/waits.ts'

const SOON = { timeout: 10_000, interval: 20 }
const REASON = 'It floods a partner.'
const refused = {
  name: 'SuspendedWorkspaceError',
  status: 403,
  message: expect.stringContaining(REASON),
}

let runtime: TestRuntime
let other: TestRuntime
let gate: Gate
beforeAll(async () => {
  gate = await startGate()
  const env = { FETCH_ALLOWED_HOSTS: '127.0.0.0/8' }
  runtime = await startRuntime({ env })
  other = await startRuntime({ env, databaseUrl: runtime.env.DATABASE_URL ?? '' })
})
afterAll(async () => {
  gate.open()
  await other[Symbol.asyncDispose]()
  await runtime[Symbol.asyncDispose]()
  await gate[Symbol.asyncDispose]()
})

/** What the workspaces service writes when an operator suspends a workspace, or lifts that. */
async function suspend(workspaceId: string, reason: string | undefined, isTold = true): Promise<void> {
  const payload = { workspaceId, suspended: reason !== undefined, reason: reason ?? '' }
  const event = buildRecord({ type: workspaceEvents.suspended.type, payload, source: { workspaceId } })
  await runtime.database.transaction(async (tx) => {
    const suspension = reason === undefined ? undefined : { reason, at: new Date(), by: 'root' }
    await permissionStore(tx).setSuspension(workspaceId, suspension)
    await tx.many(sql`
      update workspaces.stand_in set revision = revision + 1, touched_at = now() where workspace_id = ${workspaceId}`)
    if (isTold) await tx.many(insertEvents([event], () => true))
  })
}
const lift = (workspaceId: string) => suspend(workspaceId, undefined)

const runsOf = async (workspaceId: string, query: Record<string, string> = {}): Promise<Run[]> =>
  (await runtime.as({})(listRuns, { params: { workspaceId }, query })).runs

const firstRun = (workspaceId: string, status: string): Promise<Run> =>
  vi.waitFor(async () => {
    const [run] = await runsOf(workspaceId, { status })
    if (run === undefined) throw new Error(`No run is ${status} yet.`)
    return run
  }, SOON)

const typesOf = async (workspaceId: string): Promise<string[]> =>
  (await runtime.events(workspaceId)).map(({ type }) => type).filter((type) => /^(one|two|three)$/.test(type))

const retry = async (workspaceId: string, runId: string): Promise<Run> => {
  const { run } = await runtime.as({})(retryRun, { params: { workspaceId, runId } })
  return await endedRun(runtime, workspaceId, run.id)
}

const event = (name: string) => ({ emit: { event: name } })
const dead = { status: 'failed', deadLetter: true, error: { error: 'SuspendedWorkspaceError' } }

describe('while a workspace is suspended', () => {
  test('calls of URLs, tests, functions and schedules are refused with the reason, and answered later', async () => {
    const { id, declare } = await runtime.workspace({
      main: { when: { endpoint: true, schedules: ['0 9 1 1 *'] }, output: 'hello' },
      members: { when: { endpoint: true }, authorizations: { action: 'manage' }, output: 'members' },
    })
    await declare({ one: 'return 1' })
    const ada = runtime.as({ userId: 'ada' })
    const params = { workspaceId: id }
    const asked = [
      () => ada(testAutomation, { params: { ...params, automationSlug: 'main' }, body: {} }),
      () => ada(runFunction, { params: { ...params, functionName: 'one' } }),
      () => ada(runScheduleNow, { params: { ...params, automationSlug: 'main', position: '0' } }),
      () => ada(runTests, { params, body: { automation: 'main', expect: { output: 'hello' } } as never }),
    ]
    await runtime.call(id, 'main')
    await suspend(id, REASON)
    for (const one of [runtime, other]) {
      const response = await one.call(id, 'main')
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({
        error: 'SuspendedWorkspaceError',
        message: expect.stringContaining(REASON),
        details: { reason: REASON },
      })
    }
    expect((await runtime.call(id, 'members')).status).toBe(404)
    const asAda = { headers: runtime.headersOf(userPrincipal({ userId: 'ada' })) }
    expect((await runtime.call(id, 'members', asAda)).status).toBe(403)
    expect((await runtime.call(id, 'missing')).status).toBe(404)
    await vi.waitFor(async () => {
      for (const ask of asked) await expect(ask()).rejects.toMatchObject(refused)
    }, SOON)
    expect(await runsOf(id)).toHaveLength(1)

    await lift(id)
    expect(await (await other.call(id, 'main')).json()).toBe('hello')
    await vi.waitFor(async () => {
      for (const ask of asked) await ask()
    }, SOON)
  })

  test('events start nothing, also of those that come later', async () => {
    const { id } = await runtime.workspace({ main: { when: { events: ['go'] }, do: [event('one')] } })
    await suspend(id, REASON)
    await emit(runtime, id, 'go')
    const { id: active } = await runtime.workspace({ main: { when: { events: ['go'] } } })
    await emit(runtime, active, 'go')
    await firstRun(active, 'succeeded')
    expect(await runsOf(id)).toEqual([])
    await lift(id)
    await emit(runtime, id, 'go')
    await firstRun(id, 'succeeded')
    expect(await runsOf(id)).toHaveLength(1)
  })

  test('calls from other workspaces fail as any that is refused, and can be caught', async () => {
    const { id } = await runtime.workspace({ open: { when: { endpoint: true }, output: 'theirs' } })
    const caller = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [
          {
            try: {
              do: [{ runWorkflow: { workflow: 'open', workspace: id, output: 'got' } }],
              catch: [{ set: { name: 'got', value: '{{$error.name}}' } }],
            },
          },
        ],
        output: '{{got}}',
      },
    })
    const ask = async () => (await runtime.call(caller.id, 'main')).json()
    expect(await ask()).toBe('theirs')
    await suspend(id, REASON)
    expect(await ask()).toBe('SuspendedWorkspaceError')
    await lift(id)
    expect(await ask()).toBe('theirs')
  })

  test('runs are read and cancelled, and not begun again before it is active', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const input = { payload: {}, caller: {}, depth: 0 }
    const [runId = ''] = await insertRuns(runtime.database, id, [{ status: 'failed', input }])
    const params = { workspaceId: id, runId }
    const ada = runtime.as({})
    await suspend(id, REASON)
    await vi.waitFor(async () => {
      await expect(ada(retryRun, { params })).rejects.toMatchObject(refused)
      await expect(ada(replayRun, { params })).rejects.toMatchObject(refused)
      const body = { action: 'retry', filter: { status: 'failed' } } as const
      await expect(ada(bulkRuns, { params, body })).rejects.toMatchObject(refused)
      expect(await ada(bulkRuns, { params, body: { ...body, plan: true } })).toEqual({ matched: 1 })
    }, SOON)
    expect(await ada(getRun, { params })).toMatchObject({ status: 'failed' })
    await lift(id)
    await vi.waitFor(async () => expect(await retry(id, runId)).toMatchObject({ status: 'succeeded' }), SOON)
  })
})

describe('a run whose workspace is suspended', () => {
  const slow = (more: object = {}): TestAutomations => ({
    main: {
      when: { events: ['go'] },
      retry: { attempts: 5, backoff: '10ms' },
      do: [
        event('one'),
        {
          try: {
            do: [{ fetch: { url: gate.url, output: 'got' } }, event('two')],
            catch: [event('three')],
            finally: [{ emit: { event: 'three' } }],
          },
        },
      ],
      ...more,
    },
  })

  test('fails at its next instruction, and goes on from there when it is retried', async () => {
    const { id } = await runtime.workspace(slow())
    await emit(runtime, id, 'go')
    await vi.waitFor(() => expect(gate.waiting()).toBe(1), SOON)
    const asked = gate.got.length
    await suspend(id, REASON)
    // On whichever instance it is.
    await new Promise((resolve) => setTimeout(resolve, 300))
    gate.letIn(1)

    const failed = await firstRun(id, 'failed')
    expect(failed).toMatchObject(dead)
    expect(failed.error?.instruction).toBe('do[1].try')
    expect(failed.error?.remedy).toContain('lift the suspension')
    expect(await typesOf(id)).toEqual(['one'])
    expect(await runsOf(id, { deadLetter: 'true' })).toHaveLength(1)

    await lift(id)
    await vi.waitFor(
      async () => expect(await retry(id, failed.id)).toMatchObject({ status: 'succeeded' }),
      SOON,
    )
    expect(await typesOf(id)).toEqual(['one', 'two', 'three'])
    expect(gate.got.length).toBe(asked)
  })

  test('fails within seconds where no event tells of it', async () => {
    const { id } = await runtime.workspace({
      main: {
        when: { events: ['go'] },
        do: [event('one'), { repeat: { until: 10_000, do: [{ wait: { timeout: 0.05 } }] } }, event('two')],
      },
    })
    await emit(runtime, id, 'go')
    await vi.waitFor(async () => expect(await typesOf(id)).toEqual(['one']), SOON)
    await suspend(id, REASON, false)
    expect(await firstRun(id, 'failed')).toMatchObject(dead)
    expect(await typesOf(id)).toEqual(['one'])
  })

  test('that was queued begins nothing, and begins anew when it is retried', async () => {
    const { id } = await runtime.workspace({ main: { do: [event('one')], concurrency: { limit: 1 } } })
    await suspend(id, REASON)
    const input = { payload: {}, caller: {}, depth: 0 }
    await insertRuns(runtime.database, id, [
      { status: 'queued', automationSlug: 'main', triggerType: 'event', triggerValue: 'go', input },
    ])
    const failed = await firstRun(id, 'failed')
    expect(failed).toMatchObject(dead)
    expect(await typesOf(id)).toEqual([])
    await lift(id)
    await vi.waitFor(
      async () => expect(await retry(id, failed.id)).toMatchObject({ status: 'succeeded' }),
      SOON,
    )
    expect(await typesOf(id)).toEqual(['one'])
  })

  test('that waits takes its event, fails behind the wait, and has it still when it is retried', async () => {
    const wait = { wait: { oneOf: [{ event: 'answer' }], timeout: 3600, output: 'got' } }
    const { id } = await runtime.workspace({
      main: {
        when: { events: ['go'] },
        do: [event('one'), wait, { emit: { event: 'two', payload: '{{got.payload}}' } }],
      },
    })
    await emit(runtime, id, 'go')
    await parkedRuns(runtime, id)
    await suspend(id, REASON)
    await emit(runtime, id, 'answer', { n: 7 })
    const failed = await firstRun(id, 'failed')
    expect(failed).toMatchObject(dead)
    await lift(id)
    await vi.waitFor(
      async () => expect(await retry(id, failed.id)).toMatchObject({ status: 'succeeded' }),
      SOON,
    )
    expect(await typesOf(id)).toEqual(['one', 'two'])
    expect((await runtime.events(id, 'two'))[0]?.payload).toEqual({ n: 7 })
  })

  test('that waits goes on as if nothing had been where its event comes afterwards', async () => {
    const wait = { wait: { oneOf: [{ event: 'answer' }], timeout: 3600 } }
    const { id } = await runtime.workspace({
      main: { when: { events: ['go'] }, do: [wait, event('one')] },
    })
    await emit(runtime, id, 'go')
    await parkedRuns(runtime, id)
    await suspend(id, REASON)
    await lift(id)
    await emit(runtime, id, 'answer')
    await firstRun(id, 'succeeded')
  })

  test.each([false, true])(
    'answers the request that waits for it with 403 (durable: %s)',
    async (durable) => {
      const { id } = await runtime.workspace(slow({ when: { endpoint: true }, retry: undefined, durable }))
      const waiting = runtime.call(id, 'main')
      await vi.waitFor(() => expect(gate.waiting()).toBe(1), SOON)
      await suspend(id, REASON)
      await new Promise((resolve) => setTimeout(resolve, 300))
      gate.letIn(1)
      const response = await waiting
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ error: 'SuspendedWorkspaceError' })
      const failed = await firstRun(id, 'failed')
      expect(failed).toMatchObject(dead)
      const asked = gate.got.length
      await lift(id)
      await vi.waitFor(
        async () => expect(await retry(id, failed.id)).toMatchObject({ status: 'succeeded' }),
        SOON,
      )
      expect(await typesOf(id)).toEqual(['one', 'two', 'three'])
      expect(gate.got.length).toBe(asked)
    },
  )
})
