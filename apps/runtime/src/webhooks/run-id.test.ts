import { getRun } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime()
  workspace = await runtime.workspace({
    works: { when: { endpoint: true }, output: 'hello' },
    fails: { when: { endpoint: true }, do: [{ missing: {} }] },
    once: { when: { endpoint: { idempotent: true } }, output: 'hello' },
    failsOnce: { when: { endpoint: { idempotent: true } }, do: [{ missing: {} }] },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const runIdOf = (response: Response) => response.headers.get('x-platform-run-id') ?? ''
const runOf = (runId: string) => runtime.as({})(getRun, { params: { workspaceId: workspace.id, runId } })

describe('the answer of what runs an automation names its run', () => {
  test.each([
    ['works', 'succeeded'],
    ['fails', 'failed'],
  ])('%s, called by its URL', async (slug, status) => {
    const runId = runIdOf(await runtime.call(workspace.id, slug))
    expect(await runOf(runId)).toMatchObject({ automationSlug: slug, status })
  })

  test.each([
    ['works', 'succeeded'],
    ['fails', 'failed'],
  ])('%s, in a test run', async (slug, status) => {
    const response = await fetch(`${runtime.url}/v2/workspaces/${workspace.id}/test/${slug}`, {
      method: 'POST',
      headers: { ...runtime.headersOf({ kind: 'internal' }), 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await runOf(runIdOf(response))).toMatchObject({ automationSlug: slug, status })
  })

  test.each(['once', 'failsOnce'])('%s, also when it is given again', async (slug) => {
    const call = () =>
      runtime.call(workspace.id, slug, { method: 'POST', headers: { 'idempotency-key': `key-of-${slug}` } })
    const first = runIdOf(await call())
    const replay = await call()
    expect(replay.headers.get('idempotency-replayed')).toBe('true')
    expect(runIdOf(replay)).toBe(first)
    expect(await runOf(first)).toMatchObject({ automationSlug: slug })
  })

  test('and none where nothing ran', async () => {
    expect(runIdOf(await runtime.call(workspace.id, 'nothing'))).toBe('')
  })
})
