import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { type EventInput, emitEvents, eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId, uuidv7 } from '@platform/kernel'
import { startTestService, type TestService, userPrincipal } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { type Message, openStream } from '../../test/live-fixture.ts'
import { test } from '../../test/service-fixture.ts'
import { events } from '../service.ts'

const orders = (count: number, from = 0): EventInput[] =>
  Array.from({ length: count }, (_, n) => ({ type: 'order.placed', payload: { n: from + n } }))

const emit = (service: TestService, workspaceId: string, list: EventInput[], userId = 'ada') =>
  service.as({ userId })(emitEvents, { params: { workspaceId }, body: { events: list } })

const headersOf = (service: TestService, userId: string, more: Record<string, string> = {}) => ({
  ...service.headersOf(userPrincipal({ userId })),
  ...more,
})
const numbers = (messages: Message[]) => messages.map(({ data }) => data.payload.n)
/** Far more than the buffers of two sockets take, of events of 90,000 characters. */
const MOST_HEAVY = 400
/** Readers that were cut because they took too little. */
const cutReaders = async (service: TestService) => {
  const page = await fetch(`${service.url}/metrics`, { headers: service.headersOf({ kind: 'internal' }) })
  return /^platform_live_readers_cut_total\S* (\d+)/m.exec(await page.text())?.[1]
}
/** How a chunked answer ends that is whole. */
const END = '\r\n0\r\n\r\n'
const soon = (check: () => void, timeout = 5000) => vi.waitFor(check, { timeout, interval: 20 })

describe('streaming events', () => {
  test('shows them as they happen, with id, type and record', async ({ service, workspaceId }) => {
    await emit(service, workspaceId, orders(1, -1))
    using stream = await openStream(service.url, workspaceId, headersOf(service, 'ada'))
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(stream.headers.get('cache-control')).toBe('no-cache')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    await soon(() => expect(stream.text()).toMatch(/^retry: 1000\n/))

    const { result } = await emit(service, workspaceId, orders(3))
    await soon(() => expect(stream.messages.length).toBeGreaterThanOrEqual(3))
    const seen = stream.messages.slice(-3)
    expect(seen.map(({ id }) => id)).toEqual(result.map(({ id }) => id))
    expect(seen[0]).toMatchObject({
      type: 'order.placed',
      data: { type: 'order.placed', payload: { n: 0 }, source: { workspaceId, userId: 'ada' } },
    })
  })

  test('shows only what was asked for, and nothing of other workspaces', async ({ service, workspaceId }) => {
    const other = newWorkspaceId()
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values (${other}, ${other}, 'Other')`,
    )
    await service.database.many(
      sql`insert into permissions.members (workspace_id, user_id, role) values (${other}, 'ada', 'owner')`,
    )
    using paid = await openStream(service.url, workspaceId, headersOf(service, 'eve'), '?types=order.paid')
    using third = await openStream(service.url, workspaceId, headersOf(service, 'eve'), '?payload.n=3')
    await emit(service, other, [{ type: 'order.paid', payload: { n: 3 } }])
    await emit(service, workspaceId, [...orders(4), { type: 'order.paid', payload: { n: 9 } }])
    await soon(() => expect([numbers(paid.messages), numbers(third.messages)]).toEqual([[9], [3]]))
  })

  test('takes patterns of types, and paths in one parameter', async ({ service, workspaceId }) => {
    const headers = headersOf(service, 'eve')
    using orders_ = await openStream(service.url, workspaceId, headers, '?types=*.placed,none')
    const query = encodeURIComponent('{"payload.n":[1,9]}')
    using some = await openStream(service.url, workspaceId, headers, `?query=${query}`)
    await emit(service, workspaceId, [...orders(2), { type: 'order.paid', payload: { n: 9 } }])
    await soon(() =>
      expect([numbers(orders_.messages), numbers(some.messages)]).toEqual([
        [0, 1],
        [1, 9],
      ]),
    )
  })

  test('names no message in the format for onmessage, and goes on as others do', async ({
    service,
    workspaceId,
  }) => {
    const { result } = await emit(service, workspaceId, orders(3))
    const more = { 'last-event-id': result[0]?.id ?? '' }
    using stream = await openStream(
      service.url,
      workspaceId,
      headersOf(service, 'ada', more),
      '?format=message',
    )
    await emit(service, workspaceId, orders(1, 3))
    await soon(() => expect(stream.messages).toHaveLength(3))
    await emit(service, workspaceId, [{ type: 'order.note', payload: {}, options: { persist: false } }])
    await soon(() => expect(stream.messages).toHaveLength(4))
    expect(stream.messages.map(({ type }) => type)).toEqual([undefined, undefined, undefined, undefined])
    expect(stream.text()).not.toContain('event:')
    expect(stream.messages[0]).toMatchObject({ id: result[1]?.id, data: { type: 'order.placed' } })
    using odd = await openStream(service.url, workspaceId, headersOf(service, 'ada'), '?format=other')
    expect(odd.status).toBe(400)
  })

  test('goes on behind Last-Event-ID without gap or duplicate while events keep coming', async ({
    service,
    workspaceId,
  }) => {
    const { result } = await emit(service, workspaceId, orders(450))
    const emitting = (async () => {
      for (let n = 450; n < 900; n += 10) await emit(service, workspaceId, orders(10, n))
    })()
    const id = result[99]?.id ?? ''
    using stream = await openStream(
      service.url,
      workspaceId,
      headersOf(service, 'ada', { 'last-event-id': id }),
    )
    using byQuery = await openStream(
      service.url,
      workspaceId,
      headersOf(service, 'ada'),
      `?lastEventId=${id}`,
    )
    await emitting
    const expected = Array.from({ length: 800 }, (_, n) => n + 100)
    await soon(() => expect(stream.messages.length).toBeGreaterThanOrEqual(800))
    await soon(() => expect(byQuery.messages.length).toBeGreaterThanOrEqual(800))
    expect(numbers(stream.messages)).toEqual(expected)
    expect(numbers(byQuery.messages)).toEqual(expected)
  })

  test('begins with an id to go on from, of the log and of no clock, also where there is no event yet', async ({
    service,
    workspaceId,
  }) => {
    const idOf = (text: string) => /^id: (.+)$/m.exec(text)?.[1] ?? ''
    const begin = async () => {
      using stream = await openStream(service.url, workspaceId, headersOf(service, 'ada'))
      await soon(() => expect(stream.text()).toContain(': connected'))
      return idOf(stream.text())
    }
    const goOn = (id: string) => headersOf(service, 'ada', { 'last-event-id': id })
    const first = await begin()
    const { result } = await emit(service, workspaceId, orders(2))
    using stream = await openStream(service.url, workspaceId, goOn(first))
    await soon(() => expect(numbers(stream.messages)).toEqual([0, 1]))

    const second = await begin()
    expect(second).toBe(result[1]?.id)
    // An event of a service whose clock is late.
    const late = { type: 'order.placed', source: { workspaceId }, payload: { n: 2 } }
    const id = uuidv7(Date.now() - 60_000)
    const log = await service.resources.log(service.env.DATABASE_URL ?? '')
    await log.append([{ stream: eventStream(workspaceId), id, document: { ...late, id } }])
    using again = await openStream(service.url, workspaceId, goOn(second))
    await soon(() => expect(numbers(again.messages)).toEqual([2]))
  })

  test('shows what is not kept, large or small, with no id to go on from', async ({
    service,
    workspaceId,
  }) => {
    using stream = await openStream(service.url, workspaceId, headersOf(service, 'ada'))
    // What is not kept is for those who read already.
    await emit(service, workspaceId, orders(1))
    await soon(() => expect(numbers(stream.messages)).toEqual([0]))
    const large = 'x'.repeat(20_000)
    await emit(service, workspaceId, [
      { type: 'typing', payload: { n: 1 }, options: { persist: false } },
      { type: 'typing', payload: { n: 2, large }, options: { persist: false } },
    ])
    await soon(() => expect(numbers(stream.messages).sort()).toEqual([0, 1, 2]))
    expect(stream.messages.slice(1).map(({ id }) => id)).toEqual([undefined, undefined])
  })

  test('shows an event with an audience to that audience and to owners', async ({ service, workspaceId }) => {
    await service.database.many(
      sql`insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, 'bob', 'editor')`,
    )
    using owner = await openStream(service.url, workspaceId, headersOf(service, 'ada'))
    using eve = await openStream(service.url, workspaceId, headersOf(service, 'eve'))
    using bob = await openStream(service.url, workspaceId, headersOf(service, 'bob'))
    await emit(service, workspaceId, [
      { type: 'hint', payload: { n: 1 }, target: { userId: 'eve' } },
      { type: 'hint', payload: { n: 2 }, target: { sessionId: 'session-of-bob' } },
      { type: 'hint', payload: { n: 3 }, target: { userTopic: 'staff' } },
      { type: 'hint', payload: { n: 4 }, target: { currentSocket: true } },
      { type: 'hint', payload: { n: 5 } },
    ])
    await soon(() => expect(numbers(owner.messages)).toEqual([1, 2, 3, 4, 5]))
    await soon(() =>
      expect([numbers(eve.messages), numbers(bob.messages)]).toEqual([
        [1, 5],
        [2, 5],
      ]),
    )
  })

  test('ends within a second when the reader is removed, and others read on', async ({
    service,
    workspaceId,
  }) => {
    using ada = await openStream(service.url, workspaceId, headersOf(service, 'ada'))
    using eve = await openStream(service.url, workspaceId, headersOf(service, 'eve'))
    const removedAt = performance.now()
    await service.database.many(
      sql`delete from permissions.members where workspace_id = ${workspaceId} and user_id = 'eve'`,
    )
    await vi.waitFor(() => expect(eve.isOver()).toBe(true), { timeout: 5000, interval: 10 })
    expect(performance.now() - removedAt).toBePrompt(1000)
    await emit(service, workspaceId, orders(1))
    await soon(() => expect(numbers(ada.messages)).toEqual([0]))
    expect(ada.isOver()).toBe(false)
  })

  test('of an owner who becomes an editor no longer shows what is for owners', async ({
    service,
    workspaceId,
  }) => {
    using stream = await openStream(service.url, workspaceId, headersOf(service, 'ada'))
    await service.database.many(sql`
      update permissions.members set role = 'editor' where workspace_id = ${workspaceId} and user_id = 'ada'`)
    let n = 0
    await vi.waitFor(
      async () => {
        await emit(service, workspaceId, [{ type: 'hint', payload: { n }, target: { userId: 'eve' } }], 'eve')
        await emit(service, workspaceId, [{ type: 'open', payload: { n } }])
        n += 1
        await soon(() =>
          expect(stream.messages.at(-1)).toMatchObject({ type: 'open', data: { payload: { n: n - 1 } } }),
        )
        expect(stream.messages.at(-2)?.type).toBe('open')
      },
      { timeout: 5000, interval: 100 },
    )
  })

  test('cuts a reader who takes nothing, who then goes on without gap or duplicate', async ({
    service,
    workspaceId,
  }) => {
    const filler = 'x'.repeat(90_000)
    const heavy = (n: number) =>
      Array.from({ length: 5 }, (_, k) => ({ type: 'big', payload: { n: n + k, filler } }))
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const lines = Object.entries(headersOf(service, 'ada')).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `GET /v2/workspaces/${workspaceId}/events/stream HTTP/1.1\r\nhost: a\r\n${lines.join('')}\r\n`,
    )
    await new Promise((resolve) => socket.once('readable', resolve))
    const before = await cutReaders(service)
    let count = 0
    for (; count < MOST_HEAVY && (await cutReaders(service)) === before; count += 5)
      await emit(service, workspaceId, heavy(count))
    // It is cut, and told nothing of these.
    await emit(service, workspaceId, heavy(count))
    count += 5
    const chunks: string[] = []
    socket.setEncoding('utf8').on('data', (chunk: unknown) => chunks.push(String(chunk)))
    const ending = () => chunks.slice(-END.length).join('').slice(-END.length)
    await soon(() => expect(ending()).toBe(END), 30_000)
    socket.destroy()
    const body = chunks.join('').replace(/\r\n[0-9a-f]+\r\n/g, '')
    const ids = [...body.matchAll(/^id: (.+)\nevent: /gm)].map(([, id]) => id ?? '')
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.length).toBeLessThan(count)
    // It may be cut again where the log catches up all at once, and comes back as it did.
    while (ids.length < count) {
      const headers = headersOf(service, 'ada', { 'last-event-id': ids.at(-1) ?? '' })
      using rest = await openStream(service.url, workspaceId, headers)
      const isWhole = () => ids.length + rest.messages.length === count
      await soon(() => expect(isWhole() || rest.isOver()).toBe(true), 30_000)
      ids.push(...rest.messages.map(({ id }) => id ?? ''))
    }
    expect(new Set(ids).size).toBe(count)
  })

  test('ends at once when the service leaves, and clients are told to come back', async () => {
    const stack = new AsyncDisposableStack()
    const service = stack.use(await startTestService(events))
    const workspaceId = newWorkspaceId()
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values (${workspaceId}, ${workspaceId}, 'Test')`,
    )
    using stream = await openStream(service.url, workspaceId, service.headersOf({ kind: 'internal' }))
    const startedAt = performance.now()
    await stack.disposeAsync()
    await soon(() => expect(stream.isOver()).toBe(true))
    expect(performance.now() - startedAt).toBePrompt(4000)
  })

  test('refuses bad parameters, strangers, and whoever has no credential', async ({
    service,
    workspaceId,
  }) => {
    const status = async (headers: Record<string, string>, query = '', id = workspaceId) => {
      using stream = await openStream(service.url, id, headers, query)
      return stream.status
    }
    const ada = headersOf(service, 'ada')
    expect(await status(ada, '?nonsense=1')).toBe(400)
    expect(await status(ada, '?lastEventId=7')).toBe(400)
    expect(await status({ ...ada, 'last-event-id': 'x' })).toBe(400)
    expect(await status({ ...ada, 'last-event-id': randomUUID() })).toBe(400)
    expect(await status(service.headersOf(undefined))).toBe(401)
    expect(await status(headersOf(service, 'mallory'))).toBe(404)
    expect(await status(ada, '', newWorkspaceId())).toBe(404)
    const narrow = service.headersOf(userPrincipal({ userId: 'ada', scopes: [] }))
    expect(await status(narrow)).toBe(403)
    expect(await status({ ...ada, 'last-event-id': uuidv7() })).toBe(200)
  })
})
