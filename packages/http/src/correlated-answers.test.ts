import { endpoint } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openSocket, raw, startTestServer } from '../test/testing.ts'
import { respond, route } from './index.ts'

const shape = { service: 'events', credential: 'none', response: z.unknown(), failures: [] } as const
const get = (id: string, changes: object = {}) =>
  endpoint({ ...shape, id, summary: id, method: 'get', path: `/${id}`, ...changes })
const body = z.strictObject({ name: z.string() })
const post = endpoint({ ...shape, id: 'post', summary: 'post', method: 'post', path: '/post', body })

let server: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  const fails = async () => {
    throw new Error('boom')
  }
  server = await startTestServer(
    [
      route(get('whole', { etag: true }), { handle: async () => ({ a: 1 }) }),
      route(get('empty'), { handle: async () => respond(undefined, { status: 204 }) }),
      route(get('elsewhere'), {
        handle: async () => respond(undefined, { status: 303, headers: { location: '/' } }),
      }),
      route(get('page'), { handle: async () => respond('<p>', { contentType: 'text/html' }) }),
      route(get('asked', { query: z.strictObject({}) }), { handle: async () => ({}) }),
      route(get('broken'), { handle: fails }),
      route(get('wrong', { response: z.object({ a: z.string() }) }), {
        handle: async () => ({ a: 1 }),
      }),
      route(get('admin', { credential: 'required' }), { handle: fails }),
      route(post, { handle: async () => ({}) }),
    ],
    [{ path: '/mounted', listener: (_, response) => response.end('theirs') }],
  )
})
afterAll(() => server[Symbol.asyncDispose]())

const json = 'Content-Type: application/json\r\nContent-Length: 2\r\n'
const readable: [what: string, status: number, line: string, headers?: string, body?: string][] = [
  ['an answer', 200, 'GET /whole'],
  ['HEAD', 204, 'HEAD /empty'],
  ['an empty answer', 204, 'GET /empty'],
  ['nothing new', 304, 'GET /whole', 'If-None-Match: *\r\n'],
  ['a redirection', 303, 'GET /elsewhere'],
  ['a page', 200, 'GET /page'],
  ['another listener', 200, 'GET /mounted/x'],
  ['a bad body', 400, 'POST /post', json, '{]'],
  ['a bad query', 400, 'GET /asked?b=1'],
  ['a bad path', 400, 'GET /%ff'],
  ['nobody', 401, 'GET /admin'],
  ['nothing there', 404, 'GET /nowhere'],
  ['another method', 405, 'PUT /whole'],
  ['OPTIONS', 405, 'OPTIONS /whole'],
  ['a long body', 413, 'POST /post', 'Content-Type: application/json\r\nContent-Length: 2000000\r\n'],
  ['a type nobody reads', 415, 'POST /post', 'Content-Type: text/plain\r\nContent-Length: 2\r\n', '{}'],
  ['an expectation', 417, 'GET /whole', 'Expect: the-impossible\r\n'],
  ['an error', 500, 'GET /broken'],
  ['an answer outside its schema', 500, 'GET /wrong'],
  ['two hosts', 400, 'GET /whole', 'Host: y\r\n'],
  ['a tunnel', 405, 'CONNECT x:80'],
  ['an upgrade', 400, 'GET /whole', 'Connection: upgrade\r\nUpgrade: websocket\r\n'],
]

const unreadable: [what: string, status: number, bytes: string][] = [
  ['no HTTP', 400, 'hello\r\n\r\n'],
  ['headers without an end', 431, `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['a header without a name', 400, 'GET / HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n'],
  ['two lengths', 400, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
  ['no internal key', 401, 'GET /whole HTTP/1.1\r\nHost: x\r\n\r\n'],
]

const askRaw = async (bytes: string) => {
  using connection = await openSocket(server.port)
  connection.send(bytes)
  return await connection.answer()
}

describe('the correlation id', () => {
  test.each(readable)(
    'of the client is on the answer to %s (%d)',
    async (_, status, line, headers = '', text = '') => {
      const given = `X-Correlation-Id: client-given-${status}\r\n`
      const received = await askRaw(raw(line, given + headers, text))
      expect(received?.status).toBe(status)
      expect(received?.headers['x-correlation-id']).toBe(`client-given-${status}`)
    },
  )

  test.each(readable)(
    'is a new one where the client gives none: %s (%d)',
    async (_, status, line, headers = '', text = '') => {
      const received = await askRaw(raw(line, headers, text))
      expect(received?.status).toBe(status)
      expect(received?.headers['x-correlation-id']).toMatch(/^[0-9a-f]{32}$/)
    },
  )

  test.each(unreadable)('is on the answer to %s (%d)', async (_, status, bytes) => {
    const received = await askRaw(bytes)
    expect(received?.status).toBe(status)
    expect(received?.headers['x-correlation-id']).toMatch(/^[0-9a-f]{32}$/)
  })

  test.each([
    ['X-Correlation-Id: short\r\n', /^[0-9a-f]{32}$/],
    ['X-Correlation-Id: <script>alert(1)</script>\r\n', /^[0-9a-f]{32}$/],
    ['X-Correlation-Id: one-of-two-ids\r\nX-Correlation-Id: two-of-two-ids\r\n', /^[0-9a-f]{32}$/],
    [`X-Correlation-Id: ${'x'.repeat(65)}\r\n`, /^[0-9a-f]{32}$/],
    [
      'Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n',
      /^4bf92f3577b34da6a3ce929d0e0e4736$/,
    ],
    [
      'X-Correlation-Id: mine-12345678\r\nTraceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n',
      /^mine-12345678$/,
    ],
    ['Traceparent: 00-00000000000000000000000000000000-00f067aa0ba902b7-01\r\n', /^(?!0{32})[0-9a-f]{32}$/],
    ['Traceparent: ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n', /^(?!4bf92f)[0-9a-f]{32}$/],
    ['Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01\r\n', /^(?!4bf92f)[0-9a-f]{32}$/],
    ['Traceparent: nonsense\r\n', /^[0-9a-f]{32}$/],
  ])('from %j is %s, on answers and errors alike', async (headers, expected) => {
    for (const line of ['GET /whole', 'GET /nowhere', 'GET /broken']) {
      expect((await askRaw(raw(line, headers)))?.headers['x-correlation-id']).toMatch(expected)
    }
  })
})
