import { setTimeout as pause } from 'node:timers/promises'
import { emitEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { type CallerOptions, type TestService, userPrincipal } from '@platform/testing'
import { io, type Socket } from 'socket.io-client'
import { describe, expect, vi } from 'vitest'
import { test } from '../../../test/service-fixture.ts'

const soon = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 10 })

interface Heard {
  socket: Socket
  // biome-ignore lint/suspicious/noExplicitAny: events hold whatever was emitted.
  events: { name: string; record: any }[]
  problems: { name: string; data?: unknown }[]
  [Symbol.dispose](): void
}

/** A socket as the gateway forwards it, and what it hears. */
function openSocket(
  service: TestService,
  workspaceId: string,
  caller: CallerOptions | undefined,
  options: { transport?: string; auth?: object; headers?: Record<string, string> } = {},
): Heard {
  const principal = caller === undefined ? undefined : userPrincipal(caller)
  const socket = io(`${service.url}/v2/workspaces/${workspaceId}/events`, {
    transports: [options.transport ?? 'websocket'],
    extraHeaders: { ...service.headersOf(principal), ...options.headers },
    forceNew: true,
    reconnection: false,
    ...(options.auth === undefined ? {} : { auth: options.auth }),
  })
  const heard: Heard = { socket, events: [], problems: [], [Symbol.dispose]: () => void socket.disconnect() }
  socket.onAny((name: string, record) => heard.events.push({ name, record }))
  socket.on('connect_error', (error: Error & { data?: unknown }) =>
    heard.problems.push({ name: error.message, data: error.data }),
  )
  socket.on('disconnect', (reason) => heard.problems.push({ name: reason }))
  return heard
}

const opened = async (...args: Parameters<typeof openSocket>): Promise<Heard> => {
  const heard = openSocket(...args)
  await soon(() => expect(heard.socket.connected, JSON.stringify(heard.problems)).toBe(true))
  return heard
}
const names = ({ events }: Heard) => events.map(({ name }) => name)
const numbers = ({ events }: Heard) => events.map(({ record }) => record.payload?.n)

describe.each(['websocket', 'polling'])('a socket by %s', (transport) => {
  test('hears one message an event, named as its type, with the record', async ({ service, workspaceId }) => {
    using eve = await opened(service, workspaceId, { userId: 'eve' }, { transport })
    await service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: {
        events: [
          { type: 'order.placed', payload: { n: 1 } },
          { type: 'disconnect', payload: { n: 2 } },
        ],
      },
    })
    await soon(() => expect(names(eve)).toEqual(['order.placed', 'event']))
    expect(eve.events[0]?.record).toMatchObject({
      type: 'order.placed',
      source: { workspaceId, userId: 'ada' },
    })
    expect(eve.events[1]?.record).toMatchObject({ type: 'disconnect' })
  })

  test('emits by the rules of emitting, and alone hears what is for its socket', async ({
    service,
    workspaceId,
  }) => {
    using ada = await opened(service, workspaceId, { userId: 'ada' }, { transport })
    using eve = await opened(service, workspaceId, { userId: 'eve' }, { transport })
    const answer = await eve.socket.emitWithAck('event', {
      type: 'hint',
      payload: { n: 1 },
      target: { currentSocket: true },
    })
    expect(answer.result).toMatchObject({ type: 'hint' })
    await eve.socket.emitWithAck('event', { type: 'note', payload: { n: 2 } })
    await soon(() => expect([numbers(eve), numbers(ada)]).toEqual([[1, 2], [2]]))
    expect(eve.events[0]?.record.source).toMatchObject({ userId: 'eve', socketId: eve.socket.id })
    expect(await eve.socket.emitWithAck('event', { type: 'apikeys.created' })).toMatchObject({
      error: 'ForbiddenError',
    })
    expect(await eve.socket.emitWithAck('event', { type: 'a/b' })).toMatchObject({
      error: 'RequestValidationError',
    })
    expect(eve.events.slice(2).map(({ name, record }) => [name, record.error])).toEqual([
      ['error', 'ForbiddenError'],
      ['error', 'RequestValidationError'],
    ])
  })
})

describe('a socket', () => {
  test('hears what its filters name, and other filters take their place', async ({
    service,
    workspaceId,
  }) => {
    const filters = { types: 'a,b', payloadQuery: { city: ['Lyon', 'Li*'] } }
    using eve = await opened(service, workspaceId, { userId: 'eve' }, { auth: { filters } })
    const emit = (n: number, type: string, city: string) =>
      service.as({ userId: 'ada' })(emitEvents, {
        params: { workspaceId },
        body: { events: [{ type, payload: { n, city } }] },
      })
    await emit(1, 'a', 'Lyon')
    await emit(2, 'c', 'Lyon')
    await emit(3, 'b', 'Lille')
    await emit(4, 'b', 'Nice')
    await soon(() => expect(numbers(eve)).toEqual([1, 3]))
    await eve.socket.emitWithAck('filters', { types: ['c'] })
    await emit(5, 'a', 'Lyon')
    await emit(6, 'c', 'Nice')
    await soon(() => expect(numbers(eve)).toEqual([1, 3, 6]))
    eve.socket.emit('filters', { nonsense: 1 })
    await soon(() => expect(names(eve)).toContain('error'))
  })

  test('is refused to strangers, without a credential, with a narrow one and with bad filters', async ({
    service,
    workspaceId,
  }) => {
    const refusalOf = async (...args: Parameters<typeof openSocket>) => {
      using heard = openSocket(...args)
      await soon(() => expect(heard.problems).toHaveLength(1))
      return (heard.problems[0]?.data as { error?: string } | undefined)?.error ?? heard.problems[0]?.name
    }
    expect(await refusalOf(service, workspaceId, { userId: 'mallory' })).toBe('ObjectNotFoundError')
    expect(await refusalOf(service, newWorkspaceId(), { userId: 'ada' })).toBe('ObjectNotFoundError')
    expect(await refusalOf(service, workspaceId, undefined)).toBe('AuthenticationError')
    expect(await refusalOf(service, workspaceId, { userId: 'ada', scopes: [] })).toBe('InsufficientScope')
    const auth = { filters: { payloadQuery: { '': 1 } } }
    expect(await refusalOf(service, workspaceId, { userId: 'ada' }, { auth })).toBe('RequestValidationError')
    const headers = { 'x-platform-internal-key': 'another' }
    expect(await refusalOf(service, workspaceId, { userId: 'ada' }, { headers })).toBe('websocket error')
    expect(await refusalOf(service, workspaceId, { userId: 'ada' }, { headers, transport: 'polling' })).toBe(
      'xhr poll error',
    )
  })

  test('ends within a second when its reader is removed, and is told why', async ({
    service,
    workspaceId,
  }) => {
    using eve = await opened(service, workspaceId, { userId: 'eve' })
    const removedAt = performance.now()
    await service.database.many(
      sql`delete from permissions.members where workspace_id = ${workspaceId} and user_id = 'eve'`,
    )
    await soon(() => expect(eve.problems).toEqual([{ name: 'io server disconnect' }]))
    expect(performance.now() - removedAt).toBePrompt(1000)
    expect(eve.events.at(-1)).toMatchObject({ name: 'error', record: { error: 'ForbiddenError' } })
  })

  test('is forgotten at once when its poll is given up', async ({ service }) => {
    const headers = service.headersOf(userPrincipal({ userId: 'eve' }))
    const url = `${service.url}/socket.io/?EIO=4&transport=polling`
    const opening = await (await fetch(url, { headers })).text()
    const { sid } = JSON.parse(opening.slice(1)) as { sid: string }
    await expect(fetch(`${url}&sid=${sid}`, { headers, signal: AbortSignal.timeout(200) })).rejects.toThrow()
    await pause(500)
    // A first poll beside one that is still open would be refused with an empty answer, and end both.
    const again = await (await fetch(`${url}&sid=${sid}`, { headers })).text()
    expect(again).toContain('Session ID unknown')
  })

  test('has an id that begins with the instance the gateway named', async ({ service, workspaceId }) => {
    const headers = { 'x-platform-instance': '0123456789ab' }
    using eve = await opened(service, workspaceId, { userId: 'eve' }, { headers })
    expect(eve.socket.io.engine.id).toMatch(/^0123456789ab\.[\w-]{20}$/)
  })
})
