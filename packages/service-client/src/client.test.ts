import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpoint } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createClient, reach } from './client.ts'

const contract = endpoint({
  id: 'thing',
  summary: '',
  service: 'events',
  credential: 'none',
  method: 'post',
  path: '/v2/things/:id/*path',
  query: z.object({ q: z.array(z.string()).optional(), n: z.number().optional() }),
  body: z.object({ a: z.number() }),
  response: z.unknown(),
  failures: [],
})

const serve = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
const input = { params: { id: 'a/b', path: 'x y/z' }, query: { q: ['1', '2'], n: 3 }, body: { a: 1 } }

describe('the client', () => {
  test('sends what the contract says', async () => {
    await using server = await serve(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      response.end(
        JSON.stringify({
          method: request.method,
          url: request.url,
          key: request.headers['x-key'],
          body: String(Buffer.concat(chunks)),
        }),
      )
    })
    const client = createClient(`${server.url}/`, { 'x-key': 'k' })
    expect(await client(contract, input)).toEqual({
      method: 'POST',
      url: '/v2/things/a%2Fb/x%20y/z?q=1&q=2&n=3',
      key: 'k',
      body: '{"a":1}',
    })
  })

  test('rejects with the Failure that was answered', async () => {
    await using server = await serve((_, response) => {
      response
        .writeHead(503, { 'retry-after': '3' })
        .end('{"error":"ServiceUnavailable","message":"Down.","details":{"a":1}}')
    })
    await expect(createClient(server.url)(contract, input)).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      status: 503,
      message: 'Down.',
      details: { a: 1 },
      retryAfterSeconds: 3,
    })
  })

  test('rejects with a sentence when the answer is none of ours', async () => {
    for (const [status, text] of [
      [502, '<html>'],
      [200, '<html>'],
      [404, '{"error":"Custom"}'],
      [500, ''],
    ] as const) {
      await using server = await serve((_, response) => void response.writeHead(status).end(text))
      await expect(createClient(server.url)(contract, input)).rejects.toThrow(`The server answered ${status}`)
    }
  })

  test('rejects with ServiceUnavailable when nothing answers, and names no host', async () => {
    const { url } = await serve(() => {}).then(async (server) => {
      await server[Symbol.asyncDispose]()
      return server
    })
    const attempt = createClient(url)(contract, input)
    await expect(attempt).rejects.toMatchObject({
      status: 503,
      message: 'A service does not answer: try again shortly.',
      cause: { message: `Nothing answers at ${url}.` },
    })
  })

  test('rejects with GatewayTimeout when the answer does not come', async () => {
    await using server = await serve(() => {})
    await expect(createClient(server.url, {}, 50)(contract, input)).rejects.toMatchObject({ status: 504 })
  })

  test('refuses a value that no path can carry, and sends nothing', async () => {
    const client = createClient('http://127.0.0.1:1')
    await expect(client(contract, { ...input, params: { id: '..', path: 'x' } })).rejects.toMatchObject({
      name: 'RequestValidationError',
      message: 'The path parameter id is not valid.',
    })
  })

  test('stops when the caller stops, with the caller’s reason', async () => {
    await using server = await serve(() => {})
    const stop = new AbortController()
    const attempt = createClient(server.url)(contract, { ...input, signal: stop.signal })
    stop.abort()
    await expect(attempt).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('reaching an address', () => {
  test('succeeds below 500 and says what is wrong otherwise', async () => {
    const signal = AbortSignal.timeout(2000)
    await using fine = await serve((_, response) => void response.writeHead(404).end('x'))
    await expect(reach(`${fine.url}/`, signal)).resolves.toBeUndefined()
    await using broken = await serve((_, response) => void response.writeHead(503).end('x'))
    await expect(reach(`${broken.url}/x?secret=1`, signal)).rejects.toThrow(`${broken.url} answered 503.`)
    await expect(reach('http://127.0.0.1:1/', signal)).rejects.toMatchObject({
      name: 'UnreachableError',
      message: 'Nothing answers at http://127.0.0.1:1.',
    })
  })
})
