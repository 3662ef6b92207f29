import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { startForwarder, startRawUpstream } from '../../test/forwarder.ts'

const BEGIN = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const PIECE = '5\r\nhello\r\n'

afterEach(() => void vi.useRealTimers())

/** The clock of the forwarder, which runs in this process, goes on by so many seconds; its timers don't. */
function goOn(seconds: number): void {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: now + seconds * 1000 })
}

test('a response is cut after five minutes without a byte, and its client sees that it is not whole', async () => {
  await using raw = await startRawUpstream(
    (socket) => void socket.on('data', () => socket.write(BEGIN + PIECE)),
  )
  await using forwarder = await startForwarder(raw.url)
  const reader = (await fetch(forwarder.at('x'))).body?.getReader()
  expect(String.fromCharCode(...((await reader?.read())?.value ?? []))).toBe('hello')
  goOn(299)
  await setTimeout(1200)
  expect(raw.sockets.size).toBe(1)
  goOn(3)
  await expect(reader?.read()).rejects.toThrow('terminated')
  await vi.waitFor(() => expect(raw.sockets.size).toBe(0), 5000)
})

test('an answer that its client does not read is not the silence of the service', async () => {
  await using raw = await startRawUpstream(
    (socket) =>
      void socket.on('data', () => socket.write(`${BEGIN}989680\r\n${'x'.repeat(10_000_000)}\r\n0\r\n\r\n`)),
  )
  await using forwarder = await startForwarder(raw.url)
  const client = connect(forwarder.port, '127.0.0.1')
  client.write(
    `GET ${new URL(forwarder.at('x')).pathname} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
  )
  await once(client, 'readable')
  await setTimeout(500)
  goOn(400)
  await setTimeout(1200)
  let received = 0
  for await (const chunk of client) received += (chunk as Buffer).length
  expect(received).toBeGreaterThan(10_000_000)
})
