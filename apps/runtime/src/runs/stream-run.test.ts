import { listRuns } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startGate } from '../../test/gate.ts'
import { insertRuns } from '../../test/runs.ts'
import { emittedEvent, startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await startRuntime({ env: { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RUN_DETAILS: 'all' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

interface Received {
  id?: string
  event: string
  data: Record<string, unknown>
}

const open = (workspaceId: string, runId: string, headers: Record<string, string> = {}) =>
  fetch(`${runtime.url}/v2/workspaces/${workspaceId}/runs/${runId}/stream`, {
    headers: { ...runtime.headersOf({ kind: 'internal' }), ...headers },
  })

/** The events of a stream as they come, until it ends or `wanted` says that it is enough. */
async function received(response: Response, wanted: (all: Received[]) => boolean = () => false) {
  const all: Received[] = []
  let text = ''
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString()
    const frames = text.split('\n\n')
    text = frames.pop() ?? ''
    for (const frame of frames) {
      const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
      if (fields.event !== undefined) all.push({ ...fields, data: JSON.parse(fields.data) } as Received)
    }
    if (wanted(all)) break
  }
  return all
}

const steps = (all: Received[]) => all.flatMap(({ event, data }) => (event === 'step' ? [data.path] : []))

async function started(workspace: TestWorkspace): Promise<string> {
  await runtime.database.many(insertEvents([emittedEvent(workspace.id, 'go')]))
  return await vi.waitFor(async () => {
    const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: workspace.id }, query: {} })
    expect(runs).toHaveLength(1)
    return runs[0]?.id ?? ''
  })
}

const ask = (url: string) => ({ fetch: { url, output: 'asked' } })

describe('following a run', () => {
  test('shows its steps as they end, and then its end', async () => {
    await using gate = await startGate()
    const main = { when: { events: ['go'] }, do: [{ emit: { event: 'a' } }, ask(gate.url), ask(gate.url)] }
    const workspace = await runtime.workspace({ main })
    const runId = await started(workspace)
    const response = await open(workspace.id, runId)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    await vi.waitFor(() => expect(gate.waiting()).toBe(1), 5000)
    gate.letIn(1)
    await vi.waitFor(() => expect(gate.waiting()).toBe(1), 5000)

    const first = await received(response, (all) => steps(all).length === 2)
    const shown = first.filter(({ event }) => event === 'run')
    expect(shown.at(-1)).toMatchObject({ data: { id: runId, status: 'running' } })
    expect(steps(first)).toEqual(['do[0].emit', 'do[1].fetch'])
    expect(JSON.stringify(first)).not.toContain('"output"')
    const { id = '' } = first.findLast((one) => one.id !== undefined) ?? {}

    const again = open(workspace.id, runId, { 'last-event-id': id })
    gate.open()
    const rest = await received(await again)
    expect(steps(rest)).toEqual(['do[2].fetch'])
    expect(rest.at(-1)).toMatchObject({ event: 'end', data: { id: runId, status: 'succeeded' } })
  })

  test('of one that has ended shows all of it, and ends', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ set: { name: 'a', value: 1 } }, { nowhere: {} }] },
    })
    const { headers } = await runtime.call(workspace.id, 'main', { method: 'POST' })
    const all = await received(await open(workspace.id, headers.get('x-platform-run-id') ?? ''))
    expect(all.map(({ event }) => event)).toEqual(['run', 'step', 'step', 'end'])
    expect(all.at(-1)).toMatchObject({ data: { status: 'failed', error: { instruction: 'do[1].nowhere' } } })
  })

  test('ends as the record says also when another process ended the run', async () => {
    await using gate = await startGate()
    const workspace = await runtime.workspace({ main: { when: { events: ['go'] }, do: [ask(gate.url)] } })
    const runId = await started(workspace)
    const response = await open(workspace.id, runId)
    await vi.waitFor(() => expect(gate.waiting()).toBe(1), 5000)
    await runtime.database.many(sql`
      update runtime.runs set attempt = attempt + 1, status = 'failed', finished_at = now(), duration_ms = 1,
        error = '{"error":"TooManyAttempts","message":"given up"}' where id = ${runId}`)
    const all = await received(response)
    expect(all.at(-1)).toMatchObject({
      event: 'end',
      data: { status: 'failed', error: { error: 'TooManyAttempts' } },
    })
  })

  test('is for 50 clients of a workspace at once', async () => {
    const workspace = await runtime.workspace({ main: {} })
    const [queued = ''] = await insertRuns(runtime.database, workspace.id, [
      { automationSlug: 'main', status: 'waiting' as never },
    ])
    await runtime.database.many(sql`
      update runtime.runs set finished_at = null where id = ${queued}`)
    const open50 = await Promise.all(Array.from({ length: 50 }, () => open(workspace.id, queued)))
    expect(open50.map(({ status }) => status)).toEqual(open50.map(() => 200))
    const refused = await open(workspace.id, queued)
    expect(refused.status).toBe(429)
    await Promise.all(open50.map((one) => one.body?.cancel()))
    await vi.waitFor(async () => {
      const one = await open(workspace.id, queued)
      await one.body?.cancel()
      expect(one.status).toBe(200)
    }, 5000)
  })

  test('is 404 for a run that is missing, 400 for an id that is none of its events, 401 for nobody', async () => {
    const workspace = await runtime.workspace({ main: {} })
    const missing = '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33'
    expect((await open(workspace.id, missing)).status).toBe(404)
    expect((await open(workspace.id, missing, { 'last-event-id': 'x' })).status).toBe(400)
    const url = `${runtime.url}/v2/workspaces/${workspace.id}/runs/${missing}/stream`
    expect((await fetch(url, { headers: runtime.headersOf(undefined) })).status).toBe(401)
  })
})
