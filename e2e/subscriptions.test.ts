import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, newWorkspace } from './support/caller.ts'
import { shapes } from './support/shapes.ts'

const SOON = { timeout: 60_000, interval: 50 }
const EVENTS = 60

/** What an endpoint got: the number of the event and its webhook-id. */
async function startReceiver() {
  const got: { number: number; id: string; headers: IncomingHttpHeaders }[] = []
  const receiver = { got, isDown: false }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const number = JSON.parse(text).data.payload.number
    got.push({ number, id: String(request.headers['webhook-id']), headers: request.headers })
    // Slow enough that a kill finds some under way.
    setTimeout(() => response.writeHead(receiver.isDown ? 503 : 200).end(), 20)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

describe.each(shapes)('webhook subscriptions on $name', (shape) => {
  let platform: Platform
  let token: string
  beforeAll(async () => {
    platform = await shape.start({ WEBHOOKS_ALLOWED_HOSTS: '127.0.0.1' })
    token = (await administrator(platform)).token
  })
  afterAll(async () => platform?.[Symbol.asyncDispose]())

  async function subscribe(url: string) {
    const workspaceId = await newWorkspace(platform.origin, token)
    const path = `/v2/workspaces/${workspaceId}/subscriptions`
    const made = await call(platform.origin, 'POST', path, { token, body: { url, events: ['order.*'] } })
    expect(made.status, made.text).toBe(200)
    return { workspaceId, path: `${path}/${made.json.id}`, secret: made.json.secret as string }
  }

  const emit = (workspaceId: string, numbers: number[]) =>
    call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
      token,
      body: { events: numbers.map((number) => ({ type: 'order.placed', payload: { number } })) },
    })

  test('are managed through the gateway from creation to deletion', async () => {
    await using receiver = await startReceiver()
    const { workspaceId, path, secret } = await subscribe(receiver.url)
    const ask = (method: string, more = '', body?: object) =>
      call(platform.origin, method, `${path}${more}`, { token, ...(body === undefined ? {} : { body }) })
    expect(secret).toMatch(/^whsec_/)
    expect((await ask('GET')).text).not.toContain('whsec_')
    expect((await ask('PATCH', '', { name: 'Orders' })).json).toMatchObject({ name: 'Orders' })
    expect((await ask('POST', '/rotate-secret')).json.secret).toMatch(/^whsec_/)
    await emit(workspaceId, [1])
    await vi.waitFor(() => expect(receiver.got).toMatchObject([{ number: 1 }]), SOON)
    expect(String(receiver.got[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    const delivered = await vi.waitFor(async () => {
      const { json } = await ask('GET', '/deliveries?status=delivered')
      expect(json).toHaveLength(1)
      return json[0]
    }, SOON)
    expect((await ask('GET', `/deliveries/${delivered.id}`)).json.log).toHaveLength(1)
    expect((await ask('POST', `/deliveries/${delivered.id}/redeliver`)).status).toBe(202)
    await vi.waitFor(() => expect(receiver.got).toHaveLength(2), SOON)
    expect((await ask('POST', '/test')).json).toMatchObject({ outcome: 'delivered' })
    expect((await ask('POST', '/pause')).json).toMatchObject({ active: false })
    expect((await ask('POST', '/resume')).json).toMatchObject({ active: true })
    expect((await ask('POST', '/replay', { from: '2020-01-01T00:00:00Z' })).status).toBe(202)
    await vi.waitFor(() => expect(receiver.got).toHaveLength(4), SOON)
    const list = await call(platform.origin, 'GET', path.slice(0, path.lastIndexOf('/')), { token })
    expect(list.json).toHaveLength(1)
    expect((await ask('DELETE')).status).toBe(200)
    expect((await ask('GET')).status).toBe(404)
  })

  test('survive a kill: every event arrives at least once, always with the same webhook-id', async () => {
    await using receiver = await startReceiver()
    const { workspaceId } = await subscribe(receiver.url)
    const killed = platform.processes.length === 1 ? 'all-in-one' : 'events'
    const numbers = Array.from({ length: EVENTS }, (_, number) => number)
    expect((await emit(workspaceId, numbers)).status).toBe(200)
    await vi.waitFor(() => expect(receiver.got.length).toBeGreaterThan(5), SOON)
    await platform.process(killed).stop('SIGKILL')
    const before = receiver.got.length
    expect(before).toBeLessThan(EVENTS)
    await platform.restart(killed)
    await vi.waitFor(() => expect(new Set(receiver.got.map(({ number }) => number)).size).toBe(EVENTS), SOON)
    expect(new Set(receiver.got.map(({ id }) => id)).size).toBe(EVENTS)
    for (const { number, id } of receiver.got)
      expect(receiver.got.filter((one) => one.id === id).every((one) => one.number === number)).toBe(true)
  })
})
