import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { FaultProxy } from './fault-proxy.ts'

let heard = ''
const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    heard += chunk.toString()
    socket.write(`<${chunk.toString()}>`)
  })
})
let proxy: FaultProxy
let client: Socket
let received: string
let closed: boolean

const dial = async () => {
  client = connect(proxy.port, '127.0.0.1')
  ;[received, closed] = ['', false]
  client.on('error', () => undefined)
  client.on('close', () => {
    closed = true
  })
  client.on('data', (chunk) => {
    received += chunk.toString()
  })
  await once(client, 'connect')
}

beforeEach(async () => {
  heard = ''
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  proxy = await FaultProxy.open((server.address() as AddressInfo).port)
  await dial()
})
afterEach(async () => {
  client.destroy()
  await proxy[Symbol.asyncDispose]()
})

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 2000, interval: 5 })

describe('the fault proxy', () => {
  test('passes what comes, both ways, and keeps the rest of an address', async () => {
    client.write('a')
    await eventually(() => expect(received).toBe('<a>'))
    expect(proxy.through('postgres://u:p@localhost:1/d?x=1')).toBe(
      `postgres://u:p@127.0.0.1:${proxy.port}/d?x=1`,
    )
  })

  test('holds answers back as long as told, in order, and lets them go when healed', async () => {
    await proxy.set({ lateMs: 100 })
    const startedAt = performance.now()
    client.write('a')
    await eventually(() => expect(received).toBe('<a>'))
    expect(performance.now() - startedAt).toBeGreaterThan(95)
    await proxy.set({ lateMs: 60_000 })
    client.write('b')
    await eventually(() => expect(heard).toBe('ab'))
    await proxy.set('pass')
    client.write('c')
    await eventually(() => expect(received).toBe('<a><b><c>'))
  })

  test('frozen, it opens connections and passes nothing until it is healed', async () => {
    await proxy.set('freeze')
    client.destroy()
    await dial()
    client.write('a')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([heard, received]).toEqual(['', ''])
    await proxy.set('pass')
    await eventually(() => expect(received).toBe('<a>'))
  })

  test('half open, requests arrive and answers are lost', async () => {
    await proxy.set('halfOpen')
    client.write('a')
    await eventually(() => expect(heard).toBe('a'))
    expect(received).toBe('')
    await proxy.set('pass')
    await eventually(() => expect(closed).toBe(true))
  })

  test('refusing, it resets what is open and takes nothing, on the same port again when healed', async () => {
    const { port } = proxy
    await proxy.set('refuse')
    await eventually(() => expect(closed).toBe(true))
    await expect(dial()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await proxy.set('pass')
    expect(proxy.port).toBe(port)
    await dial()
    client.write('a')
    await eventually(() => expect(received).toBe('<a>'))
  })

  test('dropping, it never reaches the server', async () => {
    await proxy.set('drop')
    await dial()
    client.write('a')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([heard, received]).toEqual(['', ''])
  })
})
