import { getRun, listRuns } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startOutside } from '../../test/outside.ts'
import { endedRun } from '../../test/runs.ts'
import {
  emittedEvent,
  startRuntime,
  type TestAutomations,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'

let runtime: TestRuntime
let outside: Awaited<ReturnType<typeof startOutside>>

beforeAll(async () => {
  outside = await startOutside((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"answer":42,"echo":"canary-of-key"}')
  })
  runtime = await startRuntime({ env: { RUN_DETAILS: 'all', FETCH_ALLOWED_HOSTS: '127.0.0.0/8' } })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

const get = (workspaceId: string, runId: string, query: Record<string, string> = {}) =>
  runtime.as({})(getRun, { params: { workspaceId, runId }, query })

/** The run of `main` that an event has triggered, once it has ended. */
async function runOf(automations: TestAutomations, payload: Record<string, unknown> = {}) {
  const workspace = await runtime.workspace(automations)
  return { workspace, ...(await triggered(workspace, payload)) }
}

async function triggered(workspace: TestWorkspace, payload: Record<string, unknown>) {
  await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'go', payload)]))
  const { id } = await vi.waitFor(async () => {
    const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
    // It may have started others by now.
    const [run, ...others] = runs.filter(({ automationSlug }) => automationSlug === 'main')
    expect({ run, others }).toEqual({ run: expect.objectContaining({ id: expect.any(String) }), others: [] })
    return run as { id: string }
  })
  await endedRun(runtime, workspace.id, id)
  return { id, look: (query?: Record<string, string>) => get(workspace.id, id, query) }
}

/** The run of a URL call, once it has ended. */
async function calledRun(automations: TestAutomations, init: RequestInit = {}) {
  const workspace = await runtime.workspace(automations)
  const response = await runtime.call(workspace.id, 'main', { method: 'POST', ...init })
  const id = response.headers.get('x-platform-run-id') ?? ''
  return { workspace, id, response, look: (query?: Record<string, string>) => get(workspace.id, id, query) }
}

const when = { events: ['go'] }

describe('the steps of a run', () => {
  test('are a tree with what each worked with, changed, emitted, started and asked', async () => {
    const { look } = await runOf(
      {
        main: {
          when,
          do: [
            { set: { name: 'a', value: 1 } },
            { set: { name: 'global.count', value: '{% {{payload.n}} + 1 %}' } },
            { repeat: { on: [7, 8], do: [{ emit: { event: 'told', payload: { item: '{{item}}' } } }] } },
            {
              all: [{ fetch: { url: outside.url, output: 'asked' } }, { helper: { x: 5, output: 'helped' } }],
            },
            { conditions: { '{{a}} == 1': [{ runWorkflow: { workflow: 'helper', wait: false } }] } },
          ],
          output: '{{helped}}',
        },
        helper: { do: [{ set: { name: 'y', value: '{{x}}' } }], output: '{{y}}' },
      },
      { n: 1 },
    )
    const run = await look()
    expect(run).toMatchObject({
      status: 'succeeded',
      output: 5,
      contexts: [{ context: 'global', path: 'count', after: 2 }],
      steps: [
        {
          path: 'do[0].set',
          instruction: 'set',
          number: null,
          status: 'done',
          changed: [{ context: 'locals', path: 'a', after: 1 }],
        },
        { path: 'do[1].set', number: 1, changed: [{ context: 'global', path: 'count', after: 2 }] },
        {
          instruction: 'repeat',
          input: [7, 8],
          steps: [
            {
              path: 'do[2].repeat.do[0].emit',
              round: 0,
              number: 2,
              input: { event: 'told', payload: { item: 7 } },
            },
            { round: 1, number: 3, emitted: [{ type: 'told' }] },
          ],
        },
        {
          instruction: 'all',
          steps: [
            {
              instruction: 'fetch',
              branch: 0,
              input: { method: 'get', url: `${outside.url}/` },
              output: { answer: 42 },
              attempts: [{ outcome: '200' }],
              changed: [{ path: 'asked' }],
            },
            {
              instruction: 'helper',
              branch: 1,
              input: { x: 5 },
              output: 5,
              steps: [{ path: 'do[0].set', automationSlug: 'helper' }],
            },
          ],
        },
        { instruction: 'conditions', output: '{{a}} == 1', steps: [{ started: [expect.any(String)] }] },
      ],
    })
    expect(run).not.toHaveProperty('stoppedAt')
    const emitted = run.steps?.[2]?.steps?.flatMap((step) => step.emitted ?? [])
    const told = await runtime.events((run.eventsUrl.split('/')[3] as string) ?? '', 'told')
    expect(emitted?.map(({ id }) => id)).toEqual(told.map(({ id }) => id))
    expect(await look({ steps: 'none' })).not.toHaveProperty('steps')
  })

  test('of a run that failed name where, and what line the record says', async () => {
    const { look } = await runOf({
      main: {
        when,
        do: [{ try: { do: [{ nowhere: {} }], catch: [{ set: { name: 'b', value: 1 } }] } }, { other: {} }],
      },
    })
    const run = await look()
    expect(run).toMatchObject({
      status: 'failed',
      error: { instruction: 'do[1].other', remedy: expect.any(String) },
      steps: [
        {
          status: 'done',
          steps: [{ status: 'failed', error: { error: 'ObjectNotFoundError' } }, { status: 'done' }],
        },
        { status: 'failed', error: { error: 'ObjectNotFoundError', instruction: 'do[1].other' } },
      ],
    })
  })

  test('of a long run are some, and say where more of them are', async () => {
    const { look } = await runOf({
      main: {
        when,
        do: [
          { repeat: { until: 3000, do: [{ set: { name: 'a', value: '{{$index}}' } }] } },
          { emit: { event: 'told' } },
        ],
      },
    })
    const { steps } = await look()
    const [repeat, after] = steps ?? []
    expect(repeat?.steps).toHaveLength(100)
    expect(repeat).toMatchObject({ more: 2900, morePath: 'do[0].repeat#100.do[0].set' })
    expect(after).toMatchObject({ instruction: 'emit', status: 'done' })
    const next = await look({ path: repeat?.morePath ?? '' })
    expect(next.steps).toHaveLength(1000)
    expect(next.steps?.[0]).toMatchObject({ round: 100, changed: [{ before: 99, after: 100 }] })
    expect(next.morePath).toBe('do[0].repeat#1100.do[0].set')
  })

  test('are refused for a place that none has', async () => {
    const { look } = await runOf({ main: { when, do: [{ emit: { event: 'told' } }] } })
    for (const path of ['do[99]', ')('])
      await expect(look({ path })).rejects.toMatchObject({
        name: 'RequestValidationError',
        details: [{ path: 'query.path', message: expect.stringContaining('no place of a step') }],
      })
    expect((await look({ path: 'do[0].emit', at: '1' })).steps).toMatchObject([{ instruction: 'emit' }])
  })

  test('of a run that a request waited for are kept as well', async () => {
    const body = JSON.stringify({ name: 'Ada' })
    const headers = { 'content-type': 'application/json' }
    const { look } = await calledRun(
      {
        main: {
          when: { endpoint: true },
          do: [
            { set: { name: 'global.n', value: '{% {{global.n}} || 5 %}' } },
            { fetch: { url: outside.url, output: 'asked' } },
            { set: { name: 'run.at', value: '{{run.date}} {% uuid() %}' } },
          ],
          output: { hello: '{{body.name}}', at: '{{run.at}}' },
        },
      },
      { body, headers },
    )
    const run = await look()
    expect(run).toMatchObject({
      input: { body: { name: 'Ada' }, method: 'POST' },
      output: { hello: 'Ada', at: expect.any(String) },
      steps: [{ status: 'done' }, { output: { answer: 42 } }, { status: 'done' }],
    })
    expect(run).not.toHaveProperty('stoppedAt')
  })

  test('show what an automation was then, also after it was saved anew', async () => {
    const { look, workspace } = await runOf({ main: { when, do: [{ set: { name: 'a', value: 'then' } }] } })
    await workspace.save({ main: { when, do: [{ emit: { event: 'now' } }] } })
    expect(await look()).toMatchObject({ steps: [{ instruction: 'set', changed: [{ after: 'then' }] }] })
  })

  test('of a run that waited show for what, and what came', async () => {
    const wait = { wait: { oneOf: [{ event: 'answer' }], timeout: 60, output: 'got' } }
    const workspace = await runtime.workspace({
      main: { when, do: [{ set: { name: 'global.a', value: 1 } }, wait, { emit: { event: 'told' } }] },
    })
    await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'go')]))
    const id = await vi.waitFor(async () => {
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
      expect(runs).toMatchObject([{ status: 'waiting' }])
      return runs[0]?.id ?? ''
    }, 10_000)
    expect(await get(workspace.id, id)).toMatchObject({
      steps: [{ status: 'done' }, { instruction: 'wait', status: 'waiting', input: { timeout: 60 } }],
      stoppedAt: { reason: 'running' },
    })
    await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'answer', { n: 7 })]))
    await endedRun(runtime, workspace.id, id)
    const run = await get(workspace.id, id)
    expect(run).toMatchObject({
      steps: [
        { status: 'done' },
        { status: 'done', output: { payload: { n: 7 } } },
        { emitted: [{ type: 'told' }] },
      ],
    })
    expect(run).not.toHaveProperty('stoppedAt')
  })

  test('of a cancelled run end where it was cancelled', async () => {
    const { look } = await runOf({
      main: { when, do: [{ set: { name: 'a', value: 1 } }, { break: {} }, { emit: { event: 'never' } }] },
    })
    expect((await look()).steps?.map(({ instruction }) => instruction)).toEqual(['set', 'break'])
  })
})

describe('what is secret', () => {
  const canaries = {
    token: 'canary-of-token',
    card: 'canary-of-card',
    pin: 48_151_623,
    inner: { deep: ['canary-of-depth'] },
  }
  const automations: TestAutomations = {
    main: {
      when: { endpoint: true },
      arguments: {
        body: {
          type: 'object',
          properties: {
            token: { type: 'string', secret: true },
            card: { type: 'string', redact: true },
            pin: { type: 'number', redact: true },
            inner: { type: 'object', redact: true },
          },
        },
      },
      do: [
        { set: { name: 'a', value: '{{body.token}} {{body.card}} {{body.pin}} {{body.inner.deep[0]}}' } },
        { set: { name: 'global.pin', value: '{{body.pin}}' } },
        { set: { name: 'b', value: '{{headers.authorization}}' } },
        { emit: { event: 'told', payload: { a: '{{a}}', all: '{{body}}' } } },
        { repeat: { on: ['{{body.card}}'], do: [{ helper: { c: '{{item}}', output: 'd' } }] } },
        {
          fetch: {
            url: '{{global.outside}}?api_key=canary-of-key',
            headers: { authorization: 'Bearer canary-of-bearer' },
            method: 'post',
            body: { password: 'canary-of-password', card: '{{body.card}}' },
            output: 'e',
          },
        },
        { set: { name: 'f', value: 'canary-of-bearer canary-of-password' } },
        { break: { payload: '{{body}}' } },
      ],
    } as TestAutomations[string],
    helper: { do: [{ set: { name: 'x', value: '{{c}}' } }], output: '{{x}}' },
  }

  test('is shown nowhere of a run', async () => {
    const steps = JSON.parse(
      JSON.stringify(automations).replaceAll('{{global.outside}}', outside.url),
    ) as TestAutomations
    const { look, workspace, id } = await calledRun(steps, {
      body: JSON.stringify(canaries),
      headers: { 'content-type': 'application/json', authorization: 'Basic canary-of-caller' },
    })
    const run = await look()
    expect(run.steps).toHaveLength(8)
    expect(JSON.stringify(run)).not.toMatch(/canary|48151623/)
    const state = await fetch(`${runtime.url}/v2/workspaces/${workspace.id}/runs/${id}/state?at=3`, {
      headers: runtime.headersOf({ kind: 'internal' }),
    }).then((response) => response.text())
    expect(state).toContain('do[')
    expect(state).not.toMatch(/canary|48151623/)
    const opened = await look({ path: 'do[4].repeat#0.do[0].helper' })
    expect(opened.steps).toHaveLength(1)
    expect(JSON.stringify(opened)).not.toMatch(/canary|48151623/)
  })

  test('is not kept where the automation does not ask for the headers', async () => {
    const { id } = await calledRun(
      { main: { when: { endpoint: true }, output: '{{body}}' } },
      { headers: { authorization: 'Basic canary-of-caller' } },
    )
    const rows = await runtime.database.many<{ entries: string }>(sql`
      select entries from runtime.journal where run_id = ${id}`)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.entries).not.toContain('canary')
  })
})
