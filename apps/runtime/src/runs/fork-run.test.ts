import { createHmac } from 'node:crypto'
import { forkRun, getRun, listRuns, type Run, replayRun, retryRun } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { json, startOutside } from '../../test/outside.ts'
import { endedRun, insertRuns } from '../../test/runs.ts'
import {
  emittedEvent,
  startRuntime,
  type TestAutomations,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'

let runtime: TestRuntime
let shop: Awaited<ReturnType<typeof startOutside>>
/** What the shop answers from now on. */
let isOpen = true

beforeAll(async () => {
  shop = await startOutside((_, response, count) =>
    isOpen ? json(response, { count }) : json(response, { closed: true }, 500),
  )
  runtime = await startRuntime({ env: { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RUN_DETAILS: 'all' } })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  await shop[Symbol.asyncDispose]()
})

const ada = () => runtime.as({ userId: 'ada' })
const ended = (workspaceId: string, runId: string) => endedRun(runtime, workspaceId, runId)

type Wish = { at: number; set?: { path: string; value: unknown }[]; definition?: 'original' | 'current' }
const fork = (workspaceId: string, runId: string, body: Wish, userId = 'ada') =>
  runtime.as({ userId })(forkRun, { params: { workspaceId, runId }, body: body as never })

/** Tells, asks (2), counts (3), asks again (4) and fails where the second answer is no number. */
const order = (): TestAutomations => ({
  main: {
    when: { events: ['go'] },
    do: [
      { emit: { event: 'begun' } },
      { fetch: { url: shop.url, output: 'first' } },
      { set: { name: 'global.count', value: 1 } },
      { fetch: { url: shop.url, output: 'second', emitErrors: false } },
      { conditions: { '{{second.closed}}': [{ missing: {} }] } },
      {
        emit: {
          event: 'done',
          payload: { first: '{{first.count}}', note: '{{note}}', count: '{{global.count}}' },
        },
      },
    ],
  },
})

/** A run of such an automation that has ended. */
async function endedOrder(automations = order()): Promise<{ workspace: TestWorkspace; run: Run }> {
  const workspace = await runtime.workspace(automations)
  await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'go')]))
  const run = await vi.waitFor(
    async () => {
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
      expect(runs[0]?.finishedAt).toEqual(expect.any(String))
      return runs[0] as Run
    },
    { timeout: 10_000 },
  )
  return { workspace, run }
}

const payloads = async ({ id }: TestWorkspace, type: string) =>
  (await runtime.events(id, type)).map(({ payload }) => payload)

/** How often the shop was asked meanwhile. */
async function asked(work: () => Promise<unknown>): Promise<number> {
  const before = shop.got.length
  await work()
  return shop.got.length - before
}

describe('forking a run', () => {
  test('goes on from an effect: what was done before is not done again, and its answers are there', async () => {
    const { workspace, run } = await endedOrder()
    expect(run).toMatchObject({ status: 'succeeded' })
    const [{ first }] = (await payloads(workspace, 'done')) as [{ first: number }]
    const times = await asked(async () => {
      const { run: forked } = await fork(workspace.id, run.id, {
        at: 4,
        set: [{ path: 'note', value: 'forked' }],
      })
      expect(forked).toMatchObject({
        status: 'queued',
        correlationId: run.correlationId,
        origin: { runId: run.id, kind: 'fork' },
      })
      expect(await ended(workspace.id, forked.id)).toMatchObject({ status: 'succeeded', error: null })
    })
    expect(times).toBe(1)
    expect(await payloads(workspace, 'begun')).toHaveLength(1)
    expect(await payloads(workspace, 'done')).toEqual([
      { first, count: 1 },
      { first, note: 'forked', count: 1 },
    ])
    expect(await ended(workspace.id, run.id)).toMatchObject({ ...run })
    expect(
      await runtime.database.many(sql`select action from audit.entries where subject = ${`run:${run.id}`}`),
    ).toEqual([{ action: 'run.forked' }])
  })

  test('sees the secret that was set, and what was computed with it, though it is gone by now', async () => {
    const run = (module: string, name: string, parameters: object, output: string) => ({
      run: { module, function: name, parameters, output },
    })
    const { workspace, run: original } = await endedOrder({
      main: {
        when: { events: ['go'] },
        do: [
          run('secrets', 'set', { name: 'key', scope: 'workspace', value: 'k-of-the-run' }, 'made'),
          run('crypto', 'hmac', { key: '{{secret.key}}', data: 'a' }, 'signature'),
          run('crypto', 'equals', { data: 'k-of-the-run', expected: '{{secret.key}}' }, 'isSame'),
          { fetch: { url: shop.url } },
          { set: { name: 'isShown', value: '{% {{secret.key}} == {{made}} %}' } },
          {
            emit: {
              event: 'done',
              payload: { signature: '{{signature}}', isSame: '{{isSame}}', isShown: '{{isShown}}' },
            },
          },
        ],
      },
    })
    await runtime.database.many(sql`delete from runtime.secrets where workspace_id = ${workspace.id}`)
    const { run: forked } = await fork(workspace.id, original.id, { at: 4 })
    expect(await ended(workspace.id, forked.id)).toMatchObject({ status: 'succeeded' })
    const signature = createHmac('sha256', 'k-of-the-run').update('a').digest('hex')
    const done = { signature, isSame: true, isShown: true }
    expect(await payloads(workspace, 'done')).toEqual([done, done])
  })

  test('from the first effect does all of it again', async () => {
    const { workspace, run } = await endedOrder()
    const times = await asked(async () => {
      const { run: forked } = await fork(workspace.id, run.id, { at: 1 })
      await ended(workspace.id, forked.id)
    })
    expect(times).toBe(2)
    expect(await payloads(workspace, 'begun')).toHaveLength(2)
  })

  test('goes on with the automations of now, where they do the same before', async () => {
    const { workspace, run } = await endedOrder()
    const steps = order().main?.do ?? []
    const told = { emit: { event: 'told' } }
    await workspace.save({ main: { when: { events: ['go'] }, do: [...steps, told] } })
    const { run: forked } = await fork(workspace.id, run.id, { at: 4, definition: 'current' })
    expect(await ended(workspace.id, forked.id)).toMatchObject({ status: 'succeeded' })
    expect(await payloads(workspace, 'told')).toHaveLength(1)

    await workspace.save({ main: { when: { events: ['go'] }, do: [told, ...steps] } })
    await expect(fork(workspace.id, run.id, { at: 4, definition: 'current' })).rejects.toMatchObject({
      name: 'RequestValidationError',
      message: expect.stringContaining('something else before effect 4'),
    })
    const { run: original } = await fork(workspace.id, run.id, { at: 4 })
    expect(await ended(workspace.id, original.id)).toMatchObject({ status: 'succeeded' })
    expect(await payloads(workspace, 'told')).toHaveLength(1)
  })

  test.each([
    ['run.correlationId', 'run.correlationId belongs to the platform'],
    ['user.id', 'user.id belongs to the platform'],
    ['user.email.address', 'user.email belongs to the platform'],
    ['session["id"]', 'session.id belongs to the platform'],
    ['global.workspaceId', 'global.workspaceId belongs to the platform'],
    ['global', 'the context global can'],
    ['secret.x', 'nothing can be set in the context secret'],
    ['$workspace.name', 'nothing can be set in the context $workspace'],
    ['__proto__.x', '"__proto__" cannot be part of a variable name'],
    ['a.constructor.x', '"constructor" cannot be part of a variable name'],
    ['a[', 'must be the path of a variable'],
  ])('refuses to set %s', async (path, reason) => {
    const workspace = await runtime.workspace(order())
    const [run = ''] = await insertRuns(runtime.database, workspace.id, [{ input: {} }])
    const set = [
      { path: 'global.count', value: 1 },
      { path, value: 1 },
    ]
    await expect(fork(workspace.id, run, { at: 1, set })).rejects.toMatchObject({
      name: 'RequestValidationError',
      message: expect.stringMatching(/^body\.set\[1\]\.path: /),
      details: [{ path: 'body.set[1].path', message: expect.stringContaining(reason) }],
    })
  })

  test('sets what is named by a variable, in a context, and in lists', async () => {
    const { workspace, run } = await endedOrder()
    const set = [
      { path: 'key', value: 'note' },
      { path: '{{key}}', value: 'named' },
      { path: 'global.count', value: 7 },
      { path: 'list[]', value: 1 },
    ]
    const { run: forked } = await fork(workspace.id, run.id, { at: 4, set })
    expect(await ended(workspace.id, forked.id)).toMatchObject({ status: 'succeeded' })
    expect((await payloads(workspace, 'done')).at(-1)).toMatchObject({ note: 'named', count: 7 })
  })

  test('is refused where the run did less, for what is no variable, and before its end', async () => {
    const { workspace, run } = await endedOrder()
    await expect(fork(workspace.id, run.id, { at: 99 })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/body\.at: What the run did is kept up to effect \d+/),
    })
    await expect(
      fork(workspace.id, run.id, { at: 2, set: [{ path: 'a[', value: 1 }] }),
    ).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('body.set[0].path'),
    })
    await expect(fork(workspace.id, run.id, { at: 0 })).rejects.toMatchObject({ status: 400 })
    const [running = ''] = await insertRuns(runtime.database, workspace.id, [{ status: 'running' }])
    await expect(fork(workspace.id, running, { at: 1 })).rejects.toMatchObject({ name: 'RunNotEnded' })
    await expect(fork(workspace.id, run.id, { at: 1 }, 'eve')).rejects.toMatchObject({ status: 404 })
  })
})

test('a retry goes on where the run failed, and does nothing of before again', async () => {
  isOpen = false
  const { workspace, run } = await endedOrder({
    main: {
      when: { events: ['go'] },
      do: [
        { emit: { event: 'begun' } },
        { set: { name: 'global.count', value: 1 } },
        { checked: {} },
        { emit: { event: 'done', payload: { count: '{{global.count}}' } } },
      ],
    },
    checked: { do: [{ conditions: { '{{global.isOpen}}': [], default: [{ missing: {} }] } }] },
  })
  isOpen = true
  expect(run).toMatchObject({ status: 'failed' })
  await runtime.database.many(sql`
    update runtime.contexts set content = content || '{"isOpen": true}'
    where workspace_id = ${workspace.id} and context = 'global'`)

  // It saw that nothing was open before it failed: what was looked at stays as it was.
  const params = { workspaceId: workspace.id, runId: run.id }
  const { run: again } = await ada()(retryRun, { params })
  expect(again).toMatchObject({ origin: { runId: run.id, kind: 'retry' } })
  expect(await ended(workspace.id, again.id)).toMatchObject({ status: 'failed' })
  expect(await payloads(workspace, 'begun')).toHaveLength(1)

  // Once it is saved anew, it begins anew.
  await workspace.save({
    main: { when: { events: ['go'] }, do: [{ emit: { event: 'begun' } }, { emit: { event: 'done' } }] },
  })
  const { run: repaired } = await ada()(retryRun, { params })
  expect(await ended(workspace.id, repaired.id)).toMatchObject({ status: 'succeeded' })
  expect(await payloads(workspace, 'begun')).toHaveLength(2)
  expect(await payloads(workspace, 'done')).toEqual([{}])
})

describe('a replay without effects', () => {
  const recorded = (workspaceId: string, runId: string, definition: 'original' | 'current') =>
    ada()(replayRun, { params: { workspaceId, runId }, body: { effects: 'recorded', definition } })

  test('ends as the run did, asks nobody and emits nothing', async () => {
    const { workspace, run } = await endedOrder()
    const times = await asked(async () => {
      const { run: replayed } = await recorded(workspace.id, run.id, 'original')
      expect(replayed).toMatchObject({
        status: 'succeeded',
        finishedAt: expect.any(String),
        origin: { runId: run.id, kind: 'replay' },
      })
    })
    expect(times).toBe(0)
    expect(await payloads(workspace, 'done')).toHaveLength(1)
  })

  test('tells whether the automations of now would succeed', async () => {
    isOpen = false
    const { workspace, run } = await endedOrder()
    isOpen = true
    expect(run).toMatchObject({ status: 'failed', error: { error: 'ObjectNotFoundError' } })
    expect((await recorded(workspace.id, run.id, 'current')).run).toMatchObject({
      status: 'failed',
      error: run.error,
    })
    const steps = order().main?.do ?? []
    const asksMore = { fetch: { url: shop.url } }
    await workspace.save({
      main: { when: { events: ['go'] }, do: steps.filter((step) => !('conditions' in step)) },
    })
    expect((await recorded(workspace.id, run.id, 'current')).run).toMatchObject({ status: 'succeeded' })
    await workspace.save({ main: { when: { events: ['go'] }, do: [...steps.slice(0, 4), asksMore] } })
    expect((await recorded(workspace.id, run.id, 'current')).run).toMatchObject({
      status: 'cancelled',
      error: { message: expect.stringContaining('The replay was ended behind effect 6 (do[4].fetch)') },
    })
  })

  test('is looked at like the run it was made from', async () => {
    const { workspace, run } = await endedOrder({
      main: { ...order().main, output: '{{second.count}}' },
    })
    const look = (id: string) => runtime.as({})(getRun, { params: { workspaceId: workspace.id, runId: id } })
    const before = await look(run.id)
    const { run: same } = await recorded(workspace.id, run.id, 'original')
    const shown = await look(same?.id ?? '')
    expect(shown).not.toHaveProperty('stoppedAt')
    expect(shown.output).toEqual(before.output)
    expect(shown.steps?.map(({ path, status, output }) => [path, status, output])).toEqual(
      before.steps?.map(({ path, status, output }) => [path, status, output]),
    )
    const fails = { conditions: { '{{second.count}}': [{ missing: {} }] } }
    await workspace.save({
      main: {
        when: { events: ['go'] },
        do: [{ set: { name: 'a', value: 1 } }, ...(order().main?.do ?? []), fails],
      },
    })
    const { run: other } = await recorded(workspace.id, run.id, 'current')
    expect(other?.status).toBe('failed')
    await workspace.save({ main: { when: { events: ['go'] }, do: [] } })
    const steps = (await look(other?.id ?? '')).steps ?? []
    expect(steps.map(({ instruction }) => instruction)).toEqual([
      'set',
      ...(before.steps ?? []).map(({ instruction }) => instruction),
      'conditions',
    ])
    expect(steps.at(-1)).toMatchObject({ status: 'failed', error: { error: 'ObjectNotFoundError' } })
    // What came in to it is there for another one.
    const { run: again } = await recorded(workspace.id, other?.id ?? '', 'original')
    expect(again).toMatchObject({ status: 'failed', error: other?.error })
  })

  test('can only be planned: it answers what a replay would do', async () => {
    const { workspace, run } = await endedOrder()
    const params = { workspaceId: workspace.id, runId: run.id }
    const planned = await ada()(replayRun, { params, body: { plan: true } })
    const about = { automationSlug: 'main' }
    expect(planned).toEqual({
      effects: [
        { ...about, number: 1, path: 'do[0].emit', kind: 'emit', summary: 'begun' },
        { ...about, number: 2, path: 'do[1].fetch', kind: 'fetch', summary: `GET ${shop.url}/` },
        { ...about, number: 3, path: 'do[2].set', kind: 'set', summary: 'global.count' },
        { ...about, number: 4, path: 'do[3].fetch', kind: 'fetch', summary: `GET ${shop.url}/` },
        { ...about, number: 5, path: 'do[5].emit', kind: 'emit', summary: 'done' },
      ],
    })
    const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
    expect(runs).toHaveLength(1)
  })
})
