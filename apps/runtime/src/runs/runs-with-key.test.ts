import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '../../test/keys.ts'
import { insertRuns } from '../../test/runs.ts'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let home: TestWorkspace
let abroad: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_CONCURRENCY: '0' } })
  home = await runtime.workspace({ work: {} })
  abroad = await runtime.workspace({ work: {} })
})
afterAll(() => runtime[Symbol.asyncDispose]())

/** Statuses of listing, reading, cancelling and retrying with a key of the first workspace. */
async function statuses(action: string, { id }: TestWorkspace): Promise<number[]> {
  const { headers } = await newKey(runtime, home.id, action)
  const input = { payload: {}, caller: {}, depth: 0 }
  const [queued = '', failed = ''] = await insertRuns(runtime.database, id, [
    { status: 'queued', input },
    { status: 'failed', input },
  ])
  const ask = async (method: string, path: string) => {
    const answer = await fetch(`${runtime.url}/v2/workspaces/${id}/runs${path}`, { method, headers })
    await answer.body?.cancel()
    return answer.status
  }
  return [
    await ask('GET', ''),
    await ask('GET', `/${queued}`),
    await ask('POST', `/${queued}/cancel`),
    await ask('POST', `/${failed}/retry`),
  ]
}

describe('an API key', () => {
  test('that may read automations sees their runs, and acts on none', async () =>
    expect(await statuses('read', home)).toEqual([200, 200, 403, 403]))

  test('that may execute them cancels and retries runs, and sees none', async () =>
    expect(await statuses('execute', home)).toEqual([403, 403, 200, 200]))

  test('finds nothing in another workspace', async () => {
    expect(await statuses('read', abroad)).toEqual([404, 404, 404, 404])
    expect(await statuses('execute', abroad)).toEqual([404, 404, 404, 404])
  })
})
