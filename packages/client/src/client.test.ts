import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getMe, listWorkspaces, streamEvents } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { ApiError, createClient } from './index.ts'

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

/** Answers with what came, so that a test can see it. */
const echo: RequestListener = ({ method, url, headers }: IncomingMessage, response) =>
  void response.end(JSON.stringify({ method, url, headers }))

describe('a call', () => {
  test('goes to its path below the address of the platform, with or without /v2', async () => {
    await using server = await serve(echo)
    for (const baseUrl of [server.url, `${server.url}/`, `${server.url}/v2`, `${server.url}/v2/`]) {
      const seen = await createClient({ baseUrl })(listWorkspaces, { query: { limit: '5' } })
      expect(seen).toMatchObject({ method: 'GET', url: '/v2/workspaces?limit=5' })
    }
  })

  test.each([
    ['a token', { token: 't' }, { authorization: 'Bearer t' }],
    ['a token that is asked for', { token: async () => 'u' }, { authorization: 'Bearer u' }],
    [
      'a cookie',
      { cookie: 'access-token=c', csrfToken: 'x' },
      { cookie: 'access-token=c', 'x-platform-csrf-token': 'x' },
    ],
    ['headers', { headers: { 'x-platform-api-key': 'k' } }, { 'x-platform-api-key': 'k' }],
  ])('shows %s', async (_, options, headers) => {
    await using server = await serve(echo)
    expect(await createClient({ baseUrl: server.url, ...options })(getMe)).toMatchObject({ headers })
  })

  test('that is refused rejects with the error of the platform, after one attempt', async () => {
    let attempts = 0
    await using server = await serve((_, response) => {
      attempts += 1
      response
        .writeHead(503, { 'retry-after': '3', 'x-correlation-id': 'c1' })
        .end('{"error":"ServiceUnavailable","message":"Down.","details":{"a":1}}')
    })
    const error = await createClient({ baseUrl: server.url })(getMe).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      error: 'ServiceUnavailable',
      status: 503,
      message: 'Down.',
      details: { a: 1 },
      retryAfterSeconds: 3,
      correlationId: 'c1',
    })
    expect(attempts).toBe(1)
  })

  test('that something else answers rejects with its status', async () => {
    await using server = await serve((_, response) => void response.writeHead(502).end('<html>'))
    await expect(createClient({ baseUrl: server.url })(getMe)).rejects.toMatchObject({
      status: 502,
      error: undefined,
      message: 'The server answered 502 without a known error.',
    })
  })

  test('ends with its own signal and with that of the client', async () => {
    await using server = await serve(() => undefined)
    const stop = new AbortController()
    const attempts = [
      createClient({ baseUrl: server.url, signal: stop.signal })(getMe),
      createClient({ baseUrl: server.url })(getMe, { signal: stop.signal }),
    ]
    stop.abort(new Error('enough'))
    for (const attempt of attempts) await expect(attempt).rejects.toThrow('enough')
  })

  test('goes through the fetch that was given', async () => {
    const given: typeof fetch = async () => Response.json({ given: true })
    expect(await createClient({ baseUrl: 'http://nowhere.invalid', fetch: given })(getMe)).toEqual({
      given: true,
    })
  })
})

describe('an event stream', () => {
  const params = { workspaceId: 'w' }

  test('is read message by message, across the borders of chunks, and ends with the stream', async () => {
    await using server = await serve(async (_, response) => {
      for (const chunk of [
        ': hello\n\nid: 1\nevent: or',
        'der\ndata: {"type":"order"}\n',
        '\ndata: {"a":\ndata: "é"}\n\n',
      ])
        await new Promise((resolve) => response.write(chunk, () => setTimeout(resolve, 5)))
      response.end()
    })
    const messages = []
    for await (const message of createClient({ baseUrl: server.url }).events(streamEvents, { params }))
      messages.push(message)
    expect(messages).toEqual([
      { id: '1', type: 'order', data: { type: 'order' } },
      { id: undefined, type: 'message', data: { a: 'é' } },
    ])
  })

  test('closes its connection when the loop is left', async () => {
    const closed = Promise.withResolvers<void>()
    await using server = await serve((request, response) => {
      request.once('close', () => closed.resolve())
      response.write('data: {}\n\n')
    })
    for await (const _ of createClient({ baseUrl: server.url }).events(streamEvents, { params })) break
    await closed.promise
  })

  test('that is refused rejects as any call does', async () => {
    await using server = await serve(
      (_, response) => void response.writeHead(403).end('{"error":"ForbiddenError","message":"No."}'),
    )
    const stream = createClient({ baseUrl: server.url }).events(streamEvents, { params })
    await expect(stream.next()).rejects.toMatchObject({ error: 'ForbiddenError', status: 403 })
  })
})
