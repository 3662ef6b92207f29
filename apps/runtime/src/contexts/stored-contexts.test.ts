import { callWebhook } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime, type TestRuntime } from '../../test/testing.ts'

const SOON = { timeout: 15_000, interval: 20 }

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

  test('with a lifespan ends by itself, unless it is written anew', async () => {
    const set = (name: string, lifespan?: unknown) => ({ set: { name, value: '{{query.v}}', lifespan } })
    const workspace = await runtime.workspace({
      put: {
        when: { endpoint: true },
        do: [set('global.short', 1), set('global.long', '60'), set('global.kept')],
      },
      anew: { when: { endpoint: true }, do: [set('global.short')] },
      deeper: { when: { endpoint: true }, do: [set('global.object.a', 1), set('global.object.b')] },
      read: {
        when: { endpoint: true },
        output: ['{{global.short}}', '{{global.long}}', '{{global.kept}}', '{{global.object}}'],
      },
    })
    const call = async (path: string) => (await runtime.call(workspace.id, path)).json()
    const passed = () => new Promise((resolve) => setTimeout(resolve, 1050))
    await call('put?v=1')
    await call('deeper?v=2')
    expect(await call('read')).toEqual(['1', '1', '1', { a: '2', b: '2' }])
    await passed()
    expect(await call('read')).toEqual([null, '1', '1', null])
    await call('anew?v=3')
    await passed()
    expect(await call('read')).toEqual(['3', '1', '1', null])
    const [row] = await runtime.database.many<{ content: object; expiries: object }>(
      sql`select content, expiries from runtime.contexts where workspace_id = ${workspace.id}`,
    )
    expect([Object.keys(row?.content ?? {}).sort(), Object.keys(row?.expiries ?? {})]).toEqual([
      ['kept', 'long', 'short'],
      ['long'],
    ])
    const refused = await runtime.workspace({
      main: { when: { endpoint: true }, do: [set('global.a', 'soon')] },
    })
    expect((await runtime.call(refused.id, 'main')).status).toBe(400)
  })

  test('in socket belongs to the connection that an event came in on', async () => {
    const workspace = await runtime.workspace({
      count: {
        when: { events: ['hello'] },
        do: [
          { set: { name: 'socket.seen', value: '{% ({{socket.seen}} or 0) + 1 %}' } },
          {
            emit: {
              event: 'seen',
              payload: { seen: '{{socket.seen}}', ids: ['{{socket.id}}', '{{run.socketId}}'] },
              target: { currentSocket: true },
            },
          },
        ],
      },
    })
    for (const [index, socketId] of ['a', 'a', 'b'].entries()) {
      const event = emittedEvent(workspace.id, 'hello')
      await runtime.database.many(insertEvents([{ ...event, source: { ...event.source, socketId } }]))
      await vi.waitFor(
        async () => expect(await runtime.events(workspace.id, 'seen')).toHaveLength(index + 1),
        SOON,
      )
    }
    const told = (await runtime.events(workspace.id, 'seen')).map(({ payload, source }) => [
      payload,
      source.socketId,
    ])
    expect(told).toEqual([
      [{ seen: 1, ids: ['a', 'a'] }, 'a'],
      [{ seen: 2, ids: ['a', 'a'] }, 'a'],
      [{ seen: 1, ids: ['b', 'b'] }, 'b'],
    ])
  })

  test('warns once of a context that will be refused, and then refuses it', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ set: { name: 'global.x', value: '{{body}}' } }] },
    })
    const put = async (characters: number) => {
      const headers = { 'content-type': 'text/plain' }
      const body = 'x'.repeat(characters)
      return (await runtime.call(workspace.id, 'main', { method: 'POST', body, headers })).status
    }
    const warnings = async () =>
      (await runtime.events(workspace.id, 'error')).map(({ error }) => [error?.level, error?.message])
    expect(await put(400_000)).toBe(200)
    expect(await warnings()).toEqual([])
    expect([await put(600_000), await put(600_001)]).toEqual([200, 200])
    const sentence =
      'The context global has 600008 characters; more than 2000000 will be refused: keep less in it.'
    expect(await warnings()).toEqual([['warning', sentence]])
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

describe('setting user.id', () => {
  const set = (name: string, value: unknown) => ({ set: { name, value } })
  const main = {
    when: { endpoint: true },
    do: [
      set('user.seen', 'by the caller'),
      set('user.id', '{{body.sender}}'),
      set('user.count', '{% ({{user.count}} or 0) + 1 %}'),
    ],
    output: ['{{user.id}}', '{{user.count}}', '{{user.seen}}', '{{user.email}}', '{{user.role}}'],
  }

  test('makes the context that of somebody else, from there on', async () => {
    const workspace = await runtime.workspace({ main, read: { ...read('user'), output: '{{user}}' } })
    const as = (userId: string, path: string, body?: unknown) =>
      runtime.as({ userId })(callWebhook, {
        params: { workspaceId: workspace.id, path },
        method: 'post',
        body,
      })
    expect(await as('ada', 'main', { sender: 'slack:7' })).toEqual(['slack:7', 1, null, null, null])
    expect(await as('eve', 'main', { sender: 'slack:7' })).toEqual(['slack:7', 2, null, null, null])
    expect(await as('ada', 'main', { sender: 'ada' })).toEqual([
      'ada',
      1,
      'by the caller',
      'ada@example.com',
      'owner',
    ])
    expect(await as('ada', 'read')).toMatchObject({ id: 'ada', seen: 'by the caller', count: 1 })
    expect(await as('eve', 'read')).toMatchObject({ id: 'eve', seen: 'by the caller' })
    expect(await as('slack:7', 'read')).toMatchObject({ id: 'slack:7', count: 2 })
  })

  test('is seen by what the run calls, and in parallel branches, and wants a text', async () => {
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [
          set('session.id', '{{query.id}}'),
          { all: [set('session.a', 1), set('session.b', 2)] },
          { inner: { output: 'seen' } },
        ],
        output: '{{seen}}',
      },
      inner: { output: ['{{session.id}}', '{{session.a}}', '{{session.b}}'] },
    })
    const call = async (id: string) => (await runtime.call(workspace.id, `main?id=${id}`)).json()
    expect(await call('chat-1')).toEqual(['chat-1', 1, 2])
    expect(await call('')).toMatchObject({ error: 'InvalidInstructionError' })
  })
})
