import { insertEvents } from '@platform/outbox'
import { expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime } from '../../test/testing.ts'

const SOON = { timeout: 20_000, interval: 50 }

test('an automation that emits what triggers it ends at the depth that is allowed, and starves no other', async () => {
  await using runtime = await startRuntime()
  const loop = await runtime.workspace({
    ping: { when: { events: ['ping'] }, do: [{ emit: { event: 'pong', payload: { n: '{{payload.n}}' } } }] },
    pong: { when: { events: ['pong'] }, do: [{ emit: { event: 'ping', payload: { n: '{{payload.n}}' } } }] },
  })
  const honest = await runtime.workspace({
    listen: { when: { events: ['order.placed'] }, do: [{ emit: { event: 'order.seen' } }] },
  })
  const pings = Array.from({ length: 5 }, (_, n) => emittedEvent(loop.id, 'ping', { n }))
  const order = emittedEvent(honest.id, 'order.placed')
  await runtime.database.many(insertEvents([...pings, order]))

  await vi.waitFor(async () => expect(await runtime.events(honest.id, 'order.seen')).toHaveLength(1), SOON)
  await vi.waitFor(async () => expect(await runtime.events(loop.id, 'error')).toHaveLength(5), SOON)
  const errors = await runtime.events(loop.id, 'error')
  expect(errors[0]?.payload).toMatchObject({ type: 'TooManyCallError', details: { details: { max: 20 } } })
  expect(new Set(errors.map(({ source }) => source.correlationId))).toEqual(
    new Set(pings.map(({ source }) => source.correlationId)),
  )
  const emitted = (await runtime.events(loop.id)).filter(({ type }) => type === 'ping' || type === 'pong')
  expect(emitted).toHaveLength(5 * 21)
  expect(Math.max(...emitted.map(({ source }) => source.automationDepth ?? 0))).toBe(20)
}, 60_000)

test('a webhook makes no automation emit a native type or choose the source of an event', async () => {
  await using runtime = await startRuntime()
  const workspace = await runtime.workspace({
    main: {
      when: { endpoint: true },
      do: [
        {
          emit: { event: '{{body.type}}', payload: { source: '{{body.source}}' }, target: '{{body.target}}' },
        },
      ],
    },
  })
  const call = async (body: object) =>
    await runtime.call(workspace.id, 'main', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  for (const type of [
    'gateway.jwks.updated',
    'error',
    'usage',
    'runtime.automations.executed',
    'workspaces.deleted',
  ]) {
    const response = await call({ type })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      403,
      'ForbiddenError',
    ])
  }
  const source = { userId: 'root', workspaceId: 'other', automationSlug: 'x', serviceTopic: 'topic:gateway' }
  expect((await call({ type: 'custom', source, target: { userId: 'ada' } })).status).toBe(200)
  const [event] = await runtime.events(workspace.id, 'custom')
  expect(event).toMatchObject({
    payload: { source },
    target: { userId: 'ada' },
    source: { workspaceId: workspace.id, automationSlug: 'main', serviceTopic: 'topic:runtime:emit' },
  })
  expect(event?.source).not.toHaveProperty('userId')
  const types = (await runtime.events(workspace.id)).map(({ type }) => type)
  expect(types).not.toContain('gateway.jwks.updated')
})
