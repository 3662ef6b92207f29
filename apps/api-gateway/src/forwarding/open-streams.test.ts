import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLogger } from '@platform/logging'
import { expect, test, vi } from 'vitest'
import { Exchange } from '../exchange.ts'
import { OpenStreams } from './open-streams.ts'

const HEADERS = { 'content-type': 'text/event-stream' }

test('the streams of a gateway that leaves end, also those that begin only then', async () => {
  const streams = new OpenStreams({ max: 100, perCaller: 100 })
  const log = createLogger({ level: 'silent' })
  const server = createServer((request, response) => {
    streams.begun(new Exchange(request, response, log), HEADERS)
    response.writeHead(200, HEADERS).write(': connected\n\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  using stack = new DisposableStack()
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const before = await fetch(url)
  expect(streams.count).toBe(1)
  streams.leave()
  expect(await before.text()).toBe(': connected\n\n')
  expect(await (await fetch(url)).text()).toBe(': connected\n\n')
  await vi.waitFor(() => expect(streams.count).toBe(0))
})
