import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createLogger } from '@platform/logging'
import { expect, test } from 'vitest'
import { healthListener } from './health.ts'

const KEY = 'internal-key-of-the-tests-0123456789'

test.each([
  ['two Host', 'GET /sys/livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['a host that is none', 'GET /sys/readyz HTTP/1.1\r\nHost: a@b\r\n\r\n'],
  [
    'two internal keys',
    `GET /metrics HTTP/1.1\r\nHost: a\r\nX-Platform-Internal-Key: ${KEY}\r\nX-Platform-Internal-Key: b\r\n\r\n`,
  ],
])('a probe with %s is refused like any other request', async (_, bytes) => {
  const listener = healthListener(
    {
      health: { ready: true, state: 'starting' },
      internalApiKey: KEY,
      report: () => Promise.reject(new Error('Nobody asks for it.')),
      log: createLogger({ level: 'silent' }),
    },
    (_request, response) => response.end(),
  )
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(bytes)
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*RequestValidationError/s)
  server.close()
})
