import { randomUUID } from 'node:crypto'
import type { Platform } from '@platform/testing/platform'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, newWorkspace } from './support/caller.ts'
import { openEventStream } from './support/event-stream.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const SOON = { timeout: 15_000, interval: 20 }

describe.each(shapes)('live events on $name', (shape) => {
  let platform: Platform
  let jwt: string
  let token: string
  let workspaceId: string
  const path = (rest = '') => `/v2/workspaces/${workspaceId}${rest}`
  const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
  const last = () => platform.origins.at(-1) ?? platform.origin

  const emit = async (type: string, ...numbers: number[]): Promise<string[]> => {
    const events = numbers.map((n) => ({ type, payload: { n } }))
    const answer = await call(platform.origin, 'POST', path('/events'), { token, body: { events } })
    expect(answer.status, answer.text).toBe(200)
    return answer.json.result.map(({ id }: { id: string }) => id)
  }
  const stream = (headers: Record<string, string>, query = '', origin = platform.origin) =>
    openEventStream(origin, path(`/events/stream${query}`), headers)
  const numbersOf = (events: readonly { record: { payload: { n: number } } }[]) =>
    events.map(({ record }) => record.payload.n)

  /** Milliseconds from `revoke` until the stream of a credential has ended. */
  const endsAfter = async (headers: Record<string, string>, revoke: () => Promise<{ status: number }>) => {
    using opened = await stream(headers, '', last())
    expect(opened.status).toBe(200)
    expect((await revoke()).status).toBeLessThan(300)
    const revokedAt = performance.now()
    await vi.waitFor(() => expect(opened.endedAt()).toBeDefined(), SOON)
    const again = async () => {
      using other = await stream(headers, '', last())
      return other.status
    }
    await vi.waitFor(async () => expect(await again()).toBe(401), SOON)
    return (opened.endedAt() ?? Number.POSITIVE_INFINITY) - revokedAt
  }

  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    ;({ jwt, token } = await administrator(platform))
    workspaceId = await newWorkspace(platform.origin, token)
  })

  test('streamEvents shows events as they happen and goes on through another gateway', async () => {
    const type = `order-${randomUUID()}`
    using first = await stream(bearer(token), `?types=${type}`)
    await emit(type, 1, 2, 3)
    await vi.waitFor(() => expect(numbersOf(first.events)).toEqual([1, 2, 3]), SOON)
    const headers = { ...bearer(token), 'last-event-id': first.events[0]?.id ?? '' }
    first[Symbol.dispose]()
    await emit(type, 4)
    using second = await stream(headers, `?types=${type}`, last())
    await emit(type, 5)
    await vi.waitFor(() => expect(numbersOf(second.events)).toEqual([2, 3, 4, 5]), SOON)
  })

  test('tailEvents is for operators with the internal key', async () => {
    const type = `order-${randomUUID()}`
    const open = (headers: Record<string, string>) =>
      openEventStream(
        platform.origin,
        `/v2/platform${path('/events/stream').slice(3)}?types=${type}`,
        headers,
      )
    using tail = await open({ 'x-platform-api-key': platform.internalApiKey })
    expect(tail.status).toBe(200)
    await emit(type, 1)
    await vi.waitFor(() => expect(numbersOf(tail.events)).toEqual([1]), SOON)
    expect((await open({})).status).toBe(401)
  })

  test('a stream ends within a second of its session, its access token and its API key', async () => {
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const made = await call(platform.origin, 'POST', '/v2/user/accessTokens', {
      token: jwt,
      body: { name: 'live', expiresAt },
    })
    const ofToken = await endsAfter(bearer(made.json.token), () =>
      call(platform.origin, 'DELETE', `/v2/user/accessTokens/${made.json._id}`, { token: jwt }),
    )
    const rules = [{ action: 'read', subject: 'events' }]
    const key = await call(platform.origin, 'POST', path('/security/apikeys'), {
      token: jwt,
      body: { name: 'live', rules },
    })
    const ofKey = await endsAfter({ 'x-platform-api-key': key.json.apiKey }, () =>
      call(platform.origin, 'DELETE', path(`/security/apikeys/${key.json.apiKey}`), { token: jwt }),
    )
    const other = (await administrator(platform)).jwt
    const ofSession = await endsAfter(bearer(other), () =>
      call(platform.origin, 'DELETE', '/v2/user/sessions/current', { token: other }),
    )
    console.info('streams ended after', { ofToken, ofKey, ofSession }, 'ms')
    expect(Math.max(ofToken, ofKey, ofSession)).toBePrompt(1000)
  })

  describe.each(['websocket', 'polling'])('a socket by %s', (transport) => {
    const sockets: Socket[] = []
    const open = async (origin: string, options: object): Promise<Socket & { seen: number[] }> => {
      const socket = io(`${origin}${path('/events')}`, {
        transports: [transport],
        forceNew: true,
        ...options,
      })
      sockets.push(socket)
      const seen: number[] = []
      socket.onAny((_, record) => seen.push(record.payload?.n))
      await vi.waitFor(() => expect(socket.connected).toBe(true), SOON)
      return Object.assign(socket, { seen })
    }
    afterAll(() => {
      for (const socket of sockets) socket.disconnect()
    })

    test('reads and emits on any instance through any gateway', async () => {
      const type = `order-${randomUUID()}`
      const auth = { filters: { types: type } }
      const opened = await Promise.all(
        [platform.origin, last(), platform.origin, last()].map((origin) =>
          open(origin, { auth, extraHeaders: bearer(token) }),
        ),
      )
      await emit(type, 1)
      const [first] = opened
      expect(await first?.emitWithAck('event', { type, payload: { n: 2 } })).toHaveProperty('result.id')
      for (const { seen } of opened) await vi.waitFor(() => expect(seen).toEqual([1, 2]), SOON)
      // Over several polls, each socket stays with its instance.
      for (let n = 3; n < 8; n += 1) {
        await emit(type, n)
        for (const { seen } of opened) await vi.waitFor(() => expect(seen.at(-1)).toBe(n), SOON)
      }
      expect(opened.map(({ connected }) => connected)).toEqual([true, true, true, true])
    })

    test('shows its credential in its first message (getEventReader), and ends with it', async () => {
      const own = (await administrator(platform)).jwt
      const type = `order-${randomUUID()}`
      const auth = { extraHeaders: bearer(own), filters: { types: [type] } }
      const socket = await open(last(), { auth })
      await emit(type, 1)
      await vi.waitFor(() => expect(socket.seen).toEqual([1]), SOON)
      const reader = await call(platform.origin, 'GET', path('/events/reader'), { token: own })
      expect(reader.json.result).toMatchObject({ kind: 'user', superAdmin: true })
      await call(platform.origin, 'DELETE', '/v2/user/sessions/current', { token: own })
      const endedAt = performance.now()
      await vi.waitFor(() => expect(socket.connected).toBe(false), SOON)
      console.info(`socket by ${transport} ended after ${Math.round(performance.now() - endedAt)} ms`)
    })

    test('without a credential is refused', async () => {
      const problems: string[] = []
      const socket = io(`${platform.origin}${path('/events')}`, { transports: [transport], forceNew: true })
      sockets.push(socket)
      socket.on('connect_error', (error: Error & { data?: { error: string } }) =>
        problems.push(error.data?.error ?? error.message),
      )
      await vi.waitFor(() => expect(problems).toEqual(['AuthenticationError']), SOON)
    })
  })
})
