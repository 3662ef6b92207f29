import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { endpoint } from '@platform/contracts'
import { createApp, createHardenedServer, route, serviceListener } from '@platform/http'
import { createLogger } from '@platform/logging'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { tryRows, wireRows } from './index.ts'

const KEY = 'internal-key-of-the-tests-0123456789'
const echo = endpoint({
  id: 'echo',
  summary: 'Answers.',
  service: 'events',
  credential: 'none',
  method: 'all',
  path: '/echo/*path',
  bodyKind: 'bytes',
  body: z.unknown(),
  response: z.unknown(),
  failures: [],
})

/** A listener with one route that reads its body, as any service has it. */
async function startListener() {
  const seen: string[] = []
  const echoRoute = route(echo, {
    handle: async ({ request }) => {
      seen.push(request.url)
      return {}
    },
  })
  const listener = serviceListener(
    { service: 'events', internalApiKey: KEY, log: createLogger({ level: 'silent' }) },
    createApp([echoRoute]),
  )
  const server = createHardenedServer(listener, { keepAliveTimeoutMs: 5000, maxConnections: 1000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    seen,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('every raw request gets what it may get, and a hidden one is never answered', async () => {
  await using listener = await startListener()
  const headers = `X-Platform-Internal-Key: ${KEY}\r\nX-Platform-Client-Ip: 10.0.0.1\r\n`
  const { problems } = await tryRows(
    wireRows,
    { port: listener.port, path: '/echo/x', headers },
    (path) => listener.seen.filter((url) => url === path).length,
  )
  expect(problems).toEqual({ security: [], strict: [], lenient: [] })
})

test('the table has at least 180 rows of different names, 140 of them about security', () => {
  expect(wireRows.length).toBeGreaterThanOrEqual(180)
  expect(wireRows.filter(({ kind }) => kind === 'security').length).toBeGreaterThanOrEqual(140)
  expect(new Set(wireRows.map(({ name, rule }) => `${rule} ${name}`)).size).toBe(wireRows.length)
})
