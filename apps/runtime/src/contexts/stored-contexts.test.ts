import { callWebhook } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

const write = (context: string) => ({
  when: { endpoint: true },
  do: [{ set: { name: `${context}.x.y`, value: '{{body.v}}' } }],
})
const read = (context: string) => ({ when: { endpoint: true }, output: `{{${context}.x}}` })

describe('what an automation sets', () => {
  test.each(['user', 'session', 'global'])('in %s is there in the next run', async (context) => {
    const workspace = await runtime.workspace({ write: write(context), read: read(context) })
    const as = (userId: string, path: string, body?: unknown) =>
      runtime.as({ userId })(callWebhook, {
        params: { workspaceId: workspace.id, path },
        method: 'post',
        body,
      })
    await as('ada', 'write', { v: 1 })
    expect(await as('ada', 'read')).toEqual({ y: 1 })
    expect(await as('eve', 'read')).toEqual(context === 'global' ? { y: 1 } : {})
  })

  test('in run ends with the run', async () => {
    const workspace = await runtime.workspace({ write: write('run'), read: read('run') })
    await runtime.call(workspace.id, 'write')
    expect(await (await runtime.call(workspace.id, 'read')).json()).toEqual({})
    expect(
      await runtime.database.many(sql`select 1 from runtime.contexts where workspace_id = ${workspace.id}`),
    ).toEqual([])
  })

  test('nobody keeps nothing', async () => {
    const workspace = await runtime.workspace({ write: write('user'), read: read('user') })
    await runtime.call(workspace.id, 'write', {
      method: 'POST',
      body: '{"v":1}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await (await runtime.call(workspace.id, 'read')).json()).toEqual({})
  })

  test('stays in its workspace', async () => {
    const [a, b] = [
      await runtime.workspace({ write: write('global') }),
      await runtime.workspace({ read: read('global') }),
    ]
    await runtime.call(a.id, 'write', {
      method: 'POST',
      body: '{"v":1}',
      headers: { 'content-type': 'application/json' },
    })
    expect(await (await runtime.call(b.id, 'read')).json()).toEqual({})
  })

  test('by many runs at once keeps every key, and a deleted one goes', async () => {
    const workspace = await runtime.workspace({
      add: { when: { endpoint: true }, do: [{ set: { name: 'global[{{query.key}}]', value: 1 } }] },
      drop: { when: { endpoint: true }, do: [{ delete: { name: 'global.k3' } }] },
      all: {
        when: { endpoint: true },
        do: [{ set: { name: 'g', value: '{{global}}' } }, { delete: { name: 'g.endpoints' } }],
        output: '{{g}}',
      },
    })
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => runtime.call(workspace.id, `add?key=k${index}`)),
    )
    await runtime.call(workspace.id, 'drop')
    const all = (await (await runtime.call(workspace.id, 'all')).json()) as Record<string, unknown>
    expect(Object.keys(all).filter((key) => /^k\d+$/.test(key))).toHaveLength(19)
    expect(all).not.toHaveProperty('k3')
  })

  test('that PostgreSQL could not keep is kept without its NUL characters', async () => {
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [{ set: { name: 'global.x', value: '{% json({{query.j}}) %}' } }],
        output: '{{global.x}}',
      },
      read: read('global'),
    })
    await runtime.call(workspace.id, `main?j=${encodeURIComponent('{"a":"b\\u0000c"}')}`)
    expect(await (await runtime.call(workspace.id, 'read')).json()).toEqual({ a: 'bc' })
  })
})
