import { once } from 'node:events'
import { connect } from 'node:net'
import { registry } from '@platform/http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { handshake, openClient } from '../../test/sockets.ts'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'

const MAX = 3
let service: Upstream
let gateway: TestGateway
let ada: Awaited<ReturnType<TestGateway['signIn']>>
let held: (() => void)[] = []

beforeAll(async () => {
  service = await startUpstream(({ url = '' }, response) => {
    // How it is, which the gateway asks when it likes, it says at once.
    if (url.startsWith('/sys/')) response.end('{}')
    else held.push(() => response.end('{}'))
  })
  gateway = await startGateway({ services: service.url, env: { GATEWAY_MAX_IN_FLIGHT: String(MAX) } })
  ada = await gateway.signIn()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

/** Fills the gateway for as long as `work` takes; then all that waited are answered. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  held = []
  const waiting = Array.from({ length: MAX }, () => fetch(`${gateway.url}/v2/workspaces`, ada))
  await vi.waitFor(() => expect(held).toHaveLength(MAX), { timeout: 10_000 })
  await work()
  for (const answer of held) answer()
  const answers = await Promise.all(waiting)
  expect(answers.map(({ status }) => status)).toEqual(Array(MAX).fill(200))
}

const shedCount = async () =>
  Number(/platform_gateway_shed_total\{reason="in_flight"\} (\d+)/.exec(await registry.metrics())?.[1] ?? 0)

describe('a gateway that has as much to do as it can', () => {
  test('answers 503 with Retry-After, our error shape and a correlation id, and counts it', async () => {
    const before = await shedCount()
    await whileFull(async () => {
      const response = await fetch(`${gateway.url}/v2/workspaces`, {
        headers: { ...ada.headers, 'x-correlation-id': 'of-the-client' },
      })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(response.headers.get('x-correlation-id')).toBe('of-the-client')
      expect(await response.json()).toMatchObject({ error: 'ServiceUnavailable' })
    })
    expect((await shedCount()) - before).toBe(1)
    expect((await fetch(`${gateway.url}/v2/me`, ada)).status).toBe(200)
  })

  test('decides in less than 5 ms, before any body', async () => {
    await whileFull(async () => {
      const times: number[] = []
      for (let round = 0; round < 21; round += 1) {
        const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
        await once(socket, 'connect')
        const startedAt = performance.now()
        socket.write('POST /v2/workspaces HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\n\r\n{')
        const [answer] = (await once(socket, 'data')) as [Buffer]
        times.push(performance.now() - startedAt)
        expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /)
        socket.destroy()
      }
      times.sort((a, b) => a - b)
      expect(times[10]).toBeLessThan(5)
    })
  })

  test('still says that it is up, and takes rights away', async () => {
    const who = await gateway.signIn()
    await whileFull(async () => {
      const statusOf = async (path: string, init?: RequestInit) =>
        (await fetch(`${gateway.url}${path}`, init)).status
      expect(await statusOf('/')).toBe(200)
      expect(await statusOf('/sys/livez')).toBe(200)
      expect(await statusOf('/sys/readyz')).toBe(200)
      expect([200, 400]).toContain(await statusOf('/v2/readiness', { headers: gateway.internalHeaders }))
      const ended = await statusOf('/v2/user/sessions/current', { method: 'DELETE', headers: who.headers })
      expect([200, 204]).toContain(ended)
      const body = new URLSearchParams({ token: 'x', client_id: 'nobody' })
      expect(await statusOf('/oidc/token/revocation', { method: 'POST', body })).not.toBe(503)
      expect(await statusOf('/v3/user/sessions/current', { method: 'DELETE' })).not.toBe(503)
      expect(await statusOf('/oidc/token', { method: 'POST', body })).toBe(503)
    })
    expect((await fetch(`${gateway.url}/v2/me`, who)).status).toBe(401)
  })

  test('opens no WebSocket', async () => {
    await whileFull(async () => {
      using client = openClient(gateway.url, handshake('/v2/workspaces/w1/events', ada.headers))
      await vi.waitFor(() => expect(client.status()).toBe(503))
      await vi.waitFor(() => expect(client.socket.closed).toBe(true))
    })
  })
})
