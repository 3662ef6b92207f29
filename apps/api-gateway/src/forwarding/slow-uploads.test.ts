import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startForwarder } from '../../test/forwarder.ts'
import { Upload } from './upload.ts'

const TIMEOUT_MS = 1500
const MB = 1_000_000

/**
 * Reads as fast as it comes, 16 MB and then nothing for a while, or nothing at all; in the end it says how much it
 * was.
 */
const service = createServer((request, response) => {
  let size = 0
  request.on('error', () => undefined)
  if (request.headers['x-pace'] === 'none') return
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    const isFull = Math.floor(size / (16 * MB)) > Math.floor((size - chunk.length) / (16 * MB))
    // What is on its way when all was sent counts as waiting for the answer.
    if (request.headers['x-pace'] === 'fast' || !isFull || size > 60 * MB) return
    request.pause()
    setTimeout(() => request.resume(), 0.8 * TIMEOUT_MS)
  })
  request.on('end', () => response.end(String(size)))
})
let forwarder: Awaited<ReturnType<typeof startForwarder>>
beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  forwarder = await startForwarder(url, { timeoutMs: TIMEOUT_MS })
})
afterAll(async () => {
  await forwarder[Symbol.asyncDispose]()
  service.close().closeAllConnections()
})

const open = (pace: 'fast' | 'slow' | 'none', size: number) => {
  const headers = { 'content-length': size, 'x-pace': pace }
  const sending = httpRequest(forwarder.at('import'), { method: 'POST', headers })
  sending.on('error', () => undefined)
  return { sending, answered: once(sending, 'response') as Promise<[IncomingMessage]> }
}
const textOf = async (response: IncomingMessage) => {
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return text
}

describe.concurrent('an upload that takes longer than a service may take to answer', () => {
  test('arrives whole from a slow client', async () => {
    const { sending, answered } = open('fast', 20 * 100_000)
    for (let count = 0; count < 20; count += 1) {
      sending.write(Buffer.alloc(100_000))
      await pause(150)
    }
    sending.end()
    const [response] = await answered
    expect([response.statusCode, await textOf(response)]).toEqual([200, String(20 * 100_000)])
  })

  test('arrives whole at a service that takes its time and takes it', async () => {
    const { sending, answered } = open('slow', 90 * MB)
    sending.end(Buffer.alloc(90 * MB))
    const [response] = await answered
    expect([response.statusCode, await textOf(response)]).toEqual([200, String(90 * MB)])
  })

  test('is 504 where the service takes none of it', async () => {
    const { sending, answered } = open('none', 90 * MB)
    sending.write(Buffer.alloc(20 * MB))
    const [response] = await answered
    expect([response.statusCode, JSON.parse(await textOf(response)).error]).toEqual([504, 'GatewayTimeout'])
    sending.destroy()
  })
})

test('an upload that nobody takes on goes on only for what was taken of it since', async () => {
  const taking = Promise.withResolvers<Upload>()
  await using server = createServer((request) => taking.resolve(new Upload(request, 90 * MB)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const begunAt = Date.now() - 1
  const sending = httpRequest({ port: (server.address() as AddressInfo).port, method: 'POST' })
  using stack = new DisposableStack()
  // Nobody reads, so nobody would see that the client is gone.
  stack.defer(() => server.closeAllConnections())
  sending.on('error', () => undefined).write(Buffer.alloc(20 * MB))
  const upload = await taking.promise
  expect(upload.goesOn(begunAt)).toBe(false)
  upload.read(0)
  await vi.waitFor(() => expect(upload.goesOn(Date.now())).toBe(false))
  expect(upload.readableLength).toBeGreaterThan(0)
  expect(upload.goesOn(begunAt)).toBe(true)
})
