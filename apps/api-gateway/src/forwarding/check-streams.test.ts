import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endCurrentSession } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

const seen: IncomingMessage[] = []
let open = 0
const service = createServer((request, response) => {
  seen.push(request)
  if (request.url?.includes('held=')) return
  if (!request.url?.includes('/events/stream')) return void response.end('ok')
  open += 1
  response.on('close', () => {
    open -= 1
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n')
})
let origin: string
let gateway: TestGateway

beforeAll(async () => {
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  gateway = await startGateway({ services: origin })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  service.closeAllConnections()
  service.close()
})

const openStream = async (headers: Record<string, string>) => {
  const answer = await fetch(`${gateway.url}/v2/workspaces/w1/events/stream`, { headers })
  const state = { isOver: false, status: answer.status }
  answer.text().then(
    () => Object.assign(state, { isOver: true }),
    () => Object.assign(state, { isOver: true }),
  )
  return state
}

describe('an event stream', () => {
  test('ends within a second of its session, at the service too; others go on', async () => {
    const ada = await gateway.signIn()
    const bob = await gateway.signIn()
    const [ofAda, ofBob] = [await openStream(ada.headers), await openStream(bob.headers)]
    expect([ofAda.status, ofBob.status, open]).toEqual([200, 200, 2])
    await gateway.client(ada.headers)(endCurrentSession)
    const endedAt = performance.now()
    await vi.waitFor(() => expect(ofAda.isOver).toBe(true), { timeout: 5000, interval: 10 })
    expect(performance.now() - endedAt).toBePrompt(1000)
    await vi.waitFor(() => expect(open).toBe(1))
    expect(ofBob.isOver).toBe(false)
  })

  test('holds no other request up, however many there are', async () => {
    const eve = await gateway.signIn()
    const streams = await Promise.all(Array.from({ length: 600 }, () => openStream(eve.headers)))
    expect(streams.every(({ status }) => status === 200)).toBe(true)
    const answer = await fetch(`${gateway.url}/v2/workspaces/w1/events`, { headers: eve.headers })
    expect(await answer.text()).toBe('ok')
  })
})

describe('a session of socket.io', () => {
  const tag = createHash('sha256').update('x').digest('hex').slice(0, 12)

  test('is begun without a credential, at an instance that is told its name; nobody else names one', async () => {
    seen.length = 0
    const forged = { 'x-platform-instance': tag }
    const answer = await fetch(`${gateway.url}/socket.io/?EIO=4&transport=polling`, { headers: forged })
    expect(answer.status).toBe(200)
    const own = createHash('sha256').update(origin).digest('hex').slice(0, 12)
    expect(seen[0]?.url).toBe('/socket.io/?EIO=4&transport=polling')
    expect(seen[0]?.headers['x-platform-instance']).toBe(own)
    expect(seen[0]?.headers['x-platform-user-id']).toBeUndefined()
  })

  test('that waits for news holds no other request up, however many there are', async () => {
    seen.length = 0
    const eve = await gateway.signIn()
    const over = new AbortController()
    const polls = Array.from({ length: 600 }, () =>
      fetch(`${gateway.url}/socket.io/?EIO=4&transport=polling&held=1`, { signal: over.signal }).catch(
        () => undefined,
      ),
    )
    const held = () => seen.filter(({ url }) => url?.includes('held=') === true)
    await vi.waitFor(() => expect(held()).toHaveLength(600), { timeout: 10_000 })
    const answer = await fetch(`${gateway.url}/v2/workspaces/w1/events`, { headers: eve.headers })
    expect(await answer.text()).toBe('ok')
    over.abort()
    await Promise.all(polls)
  })

  test('tells the service who opens it, and is refused with a bad credential', async () => {
    seen.length = 0
    const ada = await gateway.signIn()
    const path = '/socket.io/?EIO=4&transport=polling'
    expect((await fetch(gateway.url + path, { headers: ada.headers })).status).toBe(200)
    // A slow moment makes the gateway probe the service, too.
    const opening = seen.find(({ url }) => url === path)
    expect(opening?.headers['x-platform-user-id']).toBe(ada.userId)
    const bad = { authorization: 'Bearer nonsense' }
    expect((await fetch(gateway.url + path, { headers: bad })).status).toBe(401)
    expect((await fetch(`${gateway.url}/socket.io/more?EIO=4`, { headers: ada.headers })).status).toBe(404)
  })
})
