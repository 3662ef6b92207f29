import { headers as names, runtimeEvents } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endedRun } from '../../test/runs.ts'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace
beforeAll(async () => {
  runtime = await startRuntime()
  const output = {
    source: '{{run.sourceWorkspaceId}}',
    authenticated: '{{run.authenticatedWorkspaceId}}',
    depth: '{{run.depth}}',
    user: '{{user.id}}',
  }
  workspace = await runtime.workspace({
    echo: { when: { endpoint: true }, output },
    durable: { when: { endpoint: true }, durable: true, output },
    outer: { when: { endpoint: true }, do: [{ inner: { output: 'x' } }], output: '{{x}}' },
    inner: { output },
    once: {
      when: { endpoint: { idempotent: true } },
      do: [{ set: { name: 'global.n', value: '{% ({{global.n}} or 0) + 1 %}' } }],
      output: '{{global.n}}',
    },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const OTHER = 'other0123456789a'
/** As the gateway says it of the token of a run. */
const calling = (workspaceId: string, depth = 3) => ({
  [names.sourceWorkspaceId]: workspaceId,
  [names.sourceRunId]: 'run-elsewhere',
  [names.sourceDepth]: String(depth),
})
const call = async (path: string, headers: Record<string, string>) => {
  const response = await runtime.call(workspace.id, path, { headers })
  return {
    status: response.status,
    runId: response.headers.get(names.runId) ?? '',
    json: await response.json(),
  }
}

describe.each(['echo', 'durable', 'outer'])('a request of a run to the URL of %s', (path) => {
  test('shows the calling workspace, and stands one deeper', async () => {
    const { json, runId } = await call(path, calling(OTHER))
    expect(json).toEqual({ source: OTHER, depth: path === 'outer' ? 5 : 4 })
    expect(await endedRun(runtime, workspace.id, runId)).toMatchObject({
      sourceWorkspaceId: OTHER,
      authenticatedWorkspaceId: null,
    })
  })

  test('shows the workspace that calls for itself', async () => {
    const { json, runId } = await call(path, { ...calling(OTHER), [names.authenticatedWorkspaceId]: OTHER })
    expect(json).toMatchObject({ source: OTHER, authenticated: OTHER })
    expect(await endedRun(runtime, workspace.id, runId)).toMatchObject({ authenticatedWorkspaceId: OTHER })
  })

  test('of its own workspace has no source', async () => {
    expect((await call(path, calling(workspace.id))).json).not.toHaveProperty('source')
  })

  test('that stands too deep is refused', async () => {
    expect(await call(path, calling(OTHER, 20))).toMatchObject({
      status: 400,
      json: { error: 'TooManyCallError' },
    })
  })
})

test('is told of in the workspace that was called', async () => {
  await call('echo', calling(OTHER))
  const events = await runtime.events(workspace.id, runtimeEvents.interactionsTriggered.type)
  expect(events.at(-1)).toMatchObject({
    payload: {
      workspaceId: workspace.id,
      sourceWorkspaceId: OTHER,
      automation: 'echo',
      trigger: { value: 'echo' },
    },
    source: { workspaceId: workspace.id },
  })
  const before = events.length
  await call('echo', {})
  expect(await runtime.events(workspace.id, runtimeEvents.interactionsTriggered.type)).toHaveLength(before)
})

test('an Idempotency-Key counts for the runs of one workspace, wherever they are done', async () => {
  const ask = async (headers: Record<string, string>) =>
    (await call('once', { 'idempotency-key': 'order-1', ...headers })).json
  const first = await ask(calling(OTHER))
  expect(await ask({ ...calling(OTHER), [names.clientIp]: '10.9.8.7' })).toBe(first)
  expect(await ask(calling('third0123456789'))).not.toBe(first)
  expect(await ask({})).not.toBe(first)
})
