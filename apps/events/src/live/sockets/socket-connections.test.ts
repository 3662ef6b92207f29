import { randomUUID } from 'node:crypto'
import { headers as names } from '@platform/contracts'
import { startTestService, TEST_INTERNAL_KEY, type TestService, userPrincipal } from '@platform/testing'
import { io, type Socket } from 'socket.io-client'
import { describe, expect, vi } from 'vitest'
import { test } from '../../../test/service-fixture.ts'
import { connectionLimits } from './socket-connections.ts'
import { SocketEndpoint } from './socket-endpoint.ts'

const path = '/socket.io/?EIO=4&transport=polling'

/** A handshake without a credential as the gateway forwards it, and what becomes of it. */
async function shakeHands(service: TestService, ip: string) {
  const headers = { ...service.headersOf(undefined), [names.clientIp]: ip }
  const answer = await fetch(service.url + path, { headers })
  const text = await answer.text()
  const sid = /"sid":"([^"]+)"/.exec(text)?.[1] ?? ''
  return {
    status: answer.status,
    text,
    /** False when the service knows nothing of it any more. */
    async isHeld() {
      const url = `${service.url}${path}&sid=${encodeURIComponent(sid)}`
      // A message of no kind: it is taken where the connection is held.
      const answered = await fetch(url, { method: 'POST', headers, body: '6' })
      await answered.text()
      return answered.ok
    },
  }
}

const many = async (count: number, work: (n: number) => Promise<{ status: number }>) => {
  const statuses: number[] = []
  for (let from = 0; from < count; from += 10) {
    const some = await Promise.all(
      Array.from({ length: Math.min(10, count - from) }, (_, n) => work(from + n)),
    )
    statuses.push(...some.map(({ status }) => status))
  }
  return statuses
}

describe('connections that follow nothing', () => {
  test('are few of one address, and of one /64 of IPv6', async ({ service }) => {
    const first = await shakeHands(service, '192.0.2.1')
    expect(first.status).toBe(200)
    expect(await first.isHeld()).toBe(true)
    const more = await many(60, () => shakeHands(service, '192.0.2.1'))
    expect(more.filter((status) => status === 200).length).toBeLessThanOrEqual(50)
    const refused = await shakeHands(service, '192.0.2.1')
    expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('follow no workspace yet') })

    const network = await many(60, (n) => shakeHands(service, `2001:db8:1:1::${n + 1}`))
    expect(network.filter((status) => status === 200).length).toBeLessThanOrEqual(51)
    expect((await shakeHands(service, '2001:db8:1:1:ffff::1')).status).toBe(429)
    expect((await shakeHands(service, '2001:db8:1:2::1')).status).toBe(200)
  })

  test('end in seconds, which makes room', async () => {
    expect(connectionLimits.newMs).toBeLessThanOrEqual(5000)
    const limits = { ...connectionLimits, newPerCaller: 1, newMs: 200 }
    const endpoint = new SocketEndpoint(TEST_INTERNAL_KEY, limits)
    await using service = await startTestService({
      name: 'events',
      build: async () => ({
        ...{ port: 0, host: '127.0.0.1', internalApiKey: TEST_INTERNAL_KEY, readinessCacheTtlMs: 0 },
        mounts: [endpoint.mount()],
        leaving: () => endpoint.leave(),
      }),
    })
    const first = await shakeHands(service, '192.0.2.1')
    expect(first.status).toBe(200)
    await vi.waitFor(async () => expect(await first.isHeld()).toBe(false), { timeout: 15_000, interval: 100 })
    expect((await shakeHands(service, '192.0.2.1')).status).toBe(200)
  })

  test('of many addresses keep nobody out: the oldest goes', { timeout: 120_000 }, async ({
    service,
    workspaceId,
  }) => {
    const follower = () =>
      io(`${service.url}/v2/workspaces/${workspaceId}/events`, {
        transports: ['polling'],
        extraHeaders: { ...service.headersOf(userPrincipal({ userId: 'eve' })), 'x-test': randomUUID() },
        forceNew: true,
        reconnection: false,
      })
    const connected = (socket: Socket) =>
      vi.waitFor(() => expect(socket.connected).toBe(true), { timeout: 5000 })
    // It follows something: no further handshake takes its place, and no time ends it.
    const socket = follower()
    await connected(socket)
    const oldest = await shakeHands(service, '198.51.100.255')
    await many(1050, (n) => shakeHands(service, `198.51.${n % 250}.1`))
    expect(await oldest.isHeld()).toBe(false)
    expect(socket.connected).toBe(true)
    const last = follower()
    await connected(last)
    socket.disconnect()
    last.disconnect()
  })

  test('are refused as WebSockets too', async ({ service }) => {
    await many(50, () => shakeHands(service, '192.0.2.9'))
    const socket = io(service.url, {
      transports: ['websocket'],
      extraHeaders: { ...service.headersOf(undefined), [names.clientIp]: '192.0.2.9' },
      forceNew: true,
      reconnection: false,
    })
    const problem = await new Promise<Error & { description?: { message?: string } }>((resolve) =>
      socket.once('connect_error', resolve as never),
    )
    expect(JSON.stringify([problem.message, problem.description?.message])).toContain('429')
  })
})
