import { cancelRun, listRuns, runtimeEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startOutside } from '../../test/outside.ts'
import { endedRun } from '../../test/runs.ts'
import {
  startRuntime,
  type TestAutomations,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'
import { emit, parkedRuns, runRows } from '../../test/waits.ts'

let runtime: TestRuntime
let called: TestWorkspace
beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_CONCURRENCY: '2', FETCH_ALLOWED_HOSTS: '127.0.0.0/8' } })
  const output = {
    source: '{{run.sourceWorkspaceId}}',
    authenticated: '{{run.authenticatedWorkspaceId}}',
    user: '{{user.id}}',
    depth: '{{run.depth}}',
    trigger: '{{run.trigger.type}}',
    given: '{{a}}',
    mine: '{{global.mine}}',
    workspace: '{{global.workspaceId}}',
  }
  const when = { endpoint: true } as const
  called = await runtime.workspace({
    open: { when, do: [{ set: { name: 'global.mine', value: 'theirs' } }], output },
    inside: { output },
    members: { when, authorizations: { action: 'manage' }, output: 'members only' },
    hidden: { when, private: true, output: 'hidden' },
    off: { when, disabled: true, output: 'off' },
    fails: { when, do: [{ 'no-such-automation': {} }] },
    waits: { when, do: [{ wait: { timeout: 0.2 } }], output: 'waited' },
    large: { when, do: [{ set: { name: 'x', value: 'y'.repeat(1_000_001) } }], output: '{{x}}' },
    counts: {
      when,
      do: [{ set: { name: 'global.n', value: '{% ({{global.n}} or 0) + 1 %}' } }],
      output: '{{global.n}}',
    },
    total: { when, output: '{{global.n}}' },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const as = (userId: string) => runtime.headersOf({ kind: 'user', userId, ...caller(userId) })
const caller = (userId: string) => ({
  sessionId: `session-of-${userId}`,
  via: 'jwt' as const,
  anonymous: false,
  superAdmin: userId === 'root',
  scopes: ['webhooks'],
  clientId: 'test',
  email: undefined,
  apiKeyId: undefined,
})

/** Calls an automation of the other workspace as somebody, from a workspace of its own. */
async function ask(step: object, userId?: string, more: TestAutomations = {}) {
  const workflow = { runWorkflow: { workspace: called.id, output: 'r', ...step } }
  const main = { when: { endpoint: true }, do: [workflow], output: '{{r}}' }
  const calling = await runtime.workspace({ main, ...more })
  const response = await runtime.call(calling.id, 'main', userId === undefined ? {} : { headers: as(userId) })
  return { calling, status: response.status, json: (await response.json()) as { message: string } }
}

describe('runWorkflow with a workspace', () => {
  test('runs it there, with the contexts of that workspace and for the same user', async () => {
    const { calling, json } = await ask({ workflow: 'open', parameters: { a: 1 } }, 'eve')
    expect(json).toEqual({
      source: calling.id,
      user: 'eve',
      depth: 2,
      trigger: 'automation',
      given: 1,
      mine: 'theirs',
      workspace: called.id,
    })
  })

  test('finds it by the slug of the workspace, and its own as without one', async () => {
    const { json } = await ask({ workflow: 'open', workspace: `slug:${called.slug}` })
    expect(json).toMatchObject({ workspace: called.id })
    const main = {
      when: { endpoint: true },
      do: [{ runWorkflow: { workflow: 'x', workspace: '{{global.workspaceId}}', output: 'r' } }],
      output: '{{r}}',
    }
    const own = await runtime.workspace({ main, x: { output: { source: '{{run.sourceWorkspaceId}}' } } })
    expect(await (await runtime.call(own.id, 'main')).json()).toEqual({})
  })

  test('is a run of its own, listed and told of in the workspace that was called', async () => {
    const { calling } = await ask({ workflow: 'open' }, 'eve')
    const { runs } = await runtime.as({})(listRuns, {
      params: { workspaceId: called.id },
      query: { automation: 'open' },
    })
    const run = runs.find(({ sourceWorkspaceId }) => sourceWorkspaceId === calling.id)
    expect(run).toMatchObject({ status: 'succeeded', trigger: { type: 'automation', value: 'main' } })
    const told = await runtime.events(called.id, runtimeEvents.interactionsTriggered.type)
    const mine = told.filter(
      ({ payload }) => (payload as { sourceWorkspaceId: string }).sourceWorkspaceId === calling.id,
    )
    expect(mine.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({
        workspaceId: called.id,
        automation: 'open',
        trigger: expect.objectContaining({ id: run?.trigger.id }),
      }),
    ])
  })

  test.each<[string, object, string | undefined]>([
    ['a workspace that is not there', { workspace: 'missing', workflow: 'open' }, 'eve'],
    ['an automation that is not there', { workflow: 'missing' }, 'ada'],
    ['one that is disabled', { workflow: 'off' }, 'ada'],
    ['one that is private, also for a member', { workflow: 'hidden' }, 'ada'],
    ['one without an address, for a stranger', { workflow: 'inside' }, 'eve'],
    ['one without an address, for an administrator', { workflow: 'inside' }, 'root'],
    ['one without an address, for nobody', { workflow: 'inside' }, undefined],
    ['one for members, for a stranger', { workflow: 'members' }, 'eve'],
  ])('does not find %s', async (_, step, userId) => {
    const { status, json } = await ask(step, userId)
    expect(status).toBe(400)
    expect(json.message).toContain('that this run may call: it must have an address that everybody may call')
  })

  test.each([
    ['inside', { given: null }],
    ['members', 'members only'],
  ])('runs %s for a member', async (workflow, expected) => {
    const { json } = await ask({ workflow, parameters: { a: null } }, 'ada')
    if (typeof expected === 'string') expect(json).toBe(expected)
    else expect(json).toMatchObject(expected)
  })

  test('fails with what it fails with, which may be caught', async () => {
    const { status, json } = await ask({ workflow: 'fails' })
    expect(status).toBe(400)
    expect(json.message).toContain('The automation "fails" ran and failed at do[0].no-such-automation')
    const step = { runWorkflow: { workspace: called.id, workflow: 'fails' } }
    const main = { when: { endpoint: true }, do: [{ try: { do: [step], catch: [] } }], output: 'went on' }
    const calling = await runtime.workspace({ main })
    expect(await (await runtime.call(calling.id, 'main')).json()).toBe('went on')
  })

  test('waits for one that waits', async () => {
    expect((await ask({ workflow: 'waits' })).json).toBe('waited')
  })

  test('takes no answer that is too large to be kept', async () => {
    expect((await ask({ workflow: 'large' })).json).toMatchObject({ error: 'PayloadTooLarge' })
  })

  test('starts a run without waiting for it', async () => {
    const { calling, json } = await ask({ workflow: 'open', wait: false })
    expect(json).toEqual({})
    await vi.waitFor(async () => {
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: called.id } })
      const run = runs.find(({ sourceWorkspaceId }) => sourceWorkspaceId === calling.id)
      expect(run?.status).toBe('succeeded')
    }, 5000)
  })

  test('ends where workspaces call each other for ever', async () => {
    const [one, other] = [await runtime.workspace({}), await runtime.workspace({})]
    const calls = (workspace: string) => ({
      when: { endpoint: true },
      do: [{ runWorkflow: { workflow: 'main', workspace, output: 'r' } }],
      output: '{{r}}',
    })
    await one.save({ main: calls(other.id) })
    await other.save({ main: calls(one.id) })
    expect(await (await runtime.call(one.id, 'main')).json()).toMatchObject({ error: 'TooManyCallError' })
  })

  test('is done for many callers at once that take all places of their process', async () => {
    const calling = await runtime.workspace({
      main: {
        when: { events: ['count'] },
        do: [{ runWorkflow: { workspace: called.id, workflow: 'counts' } }],
      },
    })
    await Promise.all(Array.from({ length: 12 }, () => emit(runtime, calling.id, 'count')))
    await vi.waitFor(async () => {
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: calling.id } })
      expect(runs.filter(({ status }) => status === 'succeeded')).toHaveLength(12)
    }, 15_000)
  }, 20_000)
})

test('a call is made once though its caller is taken over before the answer came', async () => {
  await using outside = await startOutside((_, response) => void setTimeout(() => response.end('late'), 2000))
  const target = await runtime.workspace({
    slow: {
      when: { endpoint: true },
      do: [
        { set: { name: 'global.n', value: '{% ({{global.n}} or 0) + 1 %}' } },
        { fetch: { url: outside.url, output: 'r' } },
      ],
      output: ['{{global.n}}', '{{r}}'],
    },
  })
  const calling = await runtime.workspace({
    main: {
      when: { events: ['go'] },
      do: [
        { runWorkflow: { workspace: target.id, workflow: 'slow', output: 'r' } },
        { emit: { event: 'came', payload: { r: '{{r}}' } } },
      ],
    },
  })
  await emit(runtime, calling.id, 'go')
  await vi.waitFor(() => expect(outside.got).toHaveLength(1), 5000)
  // Whoever claims it now does the caller again, from its beginning.
  await runtime.database.many(sql`
    update runtime.runs set worker = 'gone', leased_until = now() - interval '1 minute', attempt = attempt + 1
    where workspace_id = ${calling.id} and status = 'running'`)
  await vi.waitFor(async () => {
    const [came] = await runtime.events(calling.id, 'came')
    expect(came?.payload).toEqual({ r: [1, 'late'] })
  }, 20_000)
  const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: target.id } })
  expect(runs).toHaveLength(1)
  const [taken] = await runRows(runtime, calling.id)
  expect(taken?.attempt).toBeGreaterThan(2)
}, 30_000)

describe('a call of an automation that waits, and cleans up', () => {
  const cleansUp = {
    try: { do: [{ wait: { timeout: 60 } }], finally: [{ emit: { event: 'cleaned.up' } }] },
  }

  /** A run that is at such a call. */
  async function atCall(more: object = {}) {
    const target = await runtime.workspace({ long: { when: { endpoint: true }, do: [cleansUp] } })
    const call = { runWorkflow: { workspace: target.id, workflow: 'long' } }
    const calling = await runtime.workspace({ main: { when: { events: ['go'] }, do: [call], ...more } })
    await emit(runtime, calling.id, 'go')
    await parkedRuns(runtime, target.id)
    const [caller] = await runRows(runtime, calling.id)
    return { target, calling, runId: caller?.id ?? '' }
  }

  const hasEnded = async (target: TestWorkspace) => {
    await vi.waitFor(async () => {
      const [run] = await runRows(runtime, target.id)
      expect(run).toMatchObject({
        status: 'cancelled',
        error: { message: 'The run was cancelled: The run that waited for it has ended.' },
      })
    })
    expect(await runtime.events(target.id, 'cleaned.up')).toHaveLength(1)
  }

  test('ends with its caller that is cancelled', async () => {
    const { target, calling, runId } = await atCall()
    await runtime.as({})(cancelRun, { params: { workspaceId: calling.id, runId }, body: {} })
    expect(await endedRun(runtime, calling.id, runId)).toMatchObject({ status: 'cancelled' })
    await hasEnded(target)
  })

  test.each([1, 2])(
    'ends with a caller that is taken over after %s requests to cancel it',
    async (requests) => {
      const { target, calling, runId } = await atCall()
      await runtime.database.many(sql`
      update runtime.runs set worker = 'gone', leased_until = now() - interval '1 minute', attempt = attempt + 1,
        cancel_requests = ${requests}, cancel_reason = ''
      where id = ${runId}`)
      expect(await endedRun(runtime, calling.id, runId)).toMatchObject({ status: 'cancelled' })
      await hasEnded(target)
    },
  )

  test('goes on for a caller that is taken over', async () => {
    const { target, calling, runId } = await atCall()
    await runtime.database.many(sql`
      update runtime.runs set worker = 'gone', leased_until = now() - interval '1 minute', attempt = attempt + 1
      where id = ${runId}`)
    await vi.waitFor(async () => {
      const [taken] = await runRows(runtime, calling.id)
      expect(taken?.attempt).toBeGreaterThan(2)
    })
    await parkedRuns(runtime, target.id)
  })

  test('goes on when who has only started it is cancelled', async () => {
    const target = await runtime.workspace({ long: { when: { endpoint: true }, do: [cleansUp] } })
    const start = { runWorkflow: { workspace: target.id, workflow: 'long', wait: false } }
    const steps = [start, { wait: { timeout: 60 } }]
    const calling = await runtime.workspace({ main: { when: { events: ['go'] }, do: steps } })
    await emit(runtime, calling.id, 'go')
    await parkedRuns(runtime, target.id)
    const [starter] = await parkedRuns(runtime, calling.id)
    const params = { workspaceId: calling.id, runId: starter?.id ?? '' }
    await runtime.as({})(cancelRun, { params, body: {} })
    await endedRun(runtime, calling.id, params.runId)
    await parkedRuns(runtime, target.id)
  })

  test('ends with a caller that is out of time', async () => {
    await using impatient = await startRuntime({ env: { RUN_MAX_DURATION_SECONDS: '2' } })
    const target = await impatient.workspace({ long: { when: { endpoint: true }, do: [cleansUp] } })
    const call = { runWorkflow: { workspace: target.id, workflow: 'long' } }
    const calling = await impatient.workspace({ main: { when: { endpoint: true }, do: [call] } })
    const response = await impatient.call(calling.id, 'main')
    expect(await response.json()).toMatchObject({ error: 'WorkflowTimeoutError' })
    await vi.waitFor(async () => expect((await runRows(impatient, target.id))[0]?.status).toBe('cancelled'))
  })
})
