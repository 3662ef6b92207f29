import { once } from 'node:events'
import type { Socket } from 'node:net'
import { endpoint } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { INTERNAL_KEY, openSocket, raw, startTestServer } from '../test/testing.ts'
import { route } from './index.ts'

const contract = endpoint({
  id: 'thing',
  summary: 'Answers.',
  service: 'events',
  credential: 'none',
  method: 'all',
  path: '/thing',
  response: z.unknown(),
  failures: [],
})
const thing = route(contract, { handle: async () => ({ ok: true }) })
const key = `X-Platform-Internal-Key: ${INTERNAL_KEY}\r\n`
const hosted = (host: string, version = '1.1') => `GET /thing HTTP/${version}\r\nHost:${host}\r\n${key}\r\n`
const upgrade = (protocol: string, more = '') =>
  raw('GET /thing', `Connection: Upgrade${more}\r\nUpgrade: ${protocol}\r\n`)

/** Sends bytes; answers what came back, and waits until the server has closed when `closes`. */
async function attempt(bytes: string, closes = false) {
  await using server = await startTestServer([thing])
  using connection = await openSocket(server.port)
  connection.send(bytes)
  const answer = await connection.answer()
  if (closes) await connection.closed()
  return { status: answer?.status, headers: answer?.headers, body: JSON.parse(answer?.body || 'null') }
}

const refused = (error: string, status: number) => ({
  status,
  body: { error, message: expect.stringMatching(/^[A-Z].*\.$/) },
  headers: expect.objectContaining({
    'content-type': 'application/json; charset=utf-8',
    'x-correlation-id': expect.stringMatching(/^[A-Za-z0-9._-]{8,64}$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  }),
})

describe('a Host that names no host', () => {
  test.each([
    ['user information', ' a@b'],
    ['user information with a password', ' a:b@c:80'],
    ['a slash', ' a/b'],
    ['a backslash', ' a\\b'],
    ['nothing', ''],
    ['blanks only', '   '],
    ['a list', ' a, b'],
    ['a blank', ' a b'],
    ['a query', ' a?b'],
    ['a fragment', ' a#b'],
    ['a port that is no number', ' a:b'],
    ['two ports', ' a:1:2'],
    ['a port without a host', ' :80'],
    ['an open bracket', ' [::1'],
    ['bytes beyond ASCII', ' \u00e9'],
  ])('%s is 400', async (_, host) => {
    expect(await attempt(hosted(host))).toEqual(refused('RequestValidationError', 400))
  })

  test.each([
    ' a',
    ' a.example',
    ' a.example.:443',
    ' 127.0.0.1:80',
    ' [::1]',
    ' [::1]:80',
    ' a_b-c:1',
    ' a:',
  ])('and%s is taken', async (host) => {
    expect((await attempt(hosted(host))).status).toBe(200)
  })

  test('is asked for by HTTP/1.1 only', async () => {
    expect((await attempt(`GET /thing HTTP/1.0\r\n${key}\r\n`)).status).toBe(200)
    expect((await attempt(hosted(' a@b', '1.0'))).status).toBe(400)
  })
})

describe('another version than HTTP/1.0 and HTTP/1.1', () => {
  test.each([
    ['none', `GET /thing\r\n${key}\r\n`],
    ['HTTP/0.9', hosted(' x', '0.9')],
    ['HTTP/1.2', hosted(' x', '1.2')],
    ['HTTP/2.0', hosted(' x', '2.0')],
  ])('%s is 400', async (_, bytes) => {
    expect(await attempt(bytes)).toEqual(refused('RequestValidationError', 400))
  })
})

describe('what would turn the connection into something else', () => {
  test.each([
    ['CONNECT', raw('CONNECT evil:80')],
    ['CONNECT without a credential', 'CONNECT evil:80 HTTP/1.1\r\nHost: evil:80\r\n\r\n'],
    ['CONNECT to a path', raw('CONNECT /thing')],
    ['CONNECT with bytes behind it', `${raw('CONNECT evil:80')}GET /thing HTTP/1.1\r\n\r\n`],
  ])('%s is 405, once, and closes', async (_, bytes) => {
    expect(await attempt(bytes, true)).toEqual(refused('MethodNotAllowed', 405))
  })

  test('a WebSocket is 400 and closes', async () => {
    expect(await attempt(upgrade('websocket'), true)).toEqual(refused('RequestValidationError', 400))
  })

  test('keeps the correlation id of the request', async () => {
    const { headers } = await attempt(raw('CONNECT evil:80', 'X-Correlation-Id: mine-12345678\r\n'))
    expect(headers?.['x-correlation-id']).toBe('mine-12345678')
  })

  test('is never answered in place of the request before it', async () => {
    const slow = Promise.withResolvers<void>()
    const slowRoute = route(
      { ...contract, path: '/slow' },
      { handle: () => slow.promise.then(() => ({ slow: true })) },
    )
    for (const last of [raw('CONNECT evil:80'), upgrade('websocket')]) {
      await using server = await startTestServer([slowRoute])
      using connection = await openSocket(server.port)
      connection.send(raw('GET /slow') + last)
      await connection.closed()
      expect(await connection.answer()).toBeUndefined()
    }
    slow.resolve()
  })

  test('is left to whoever else handles upgrades of the server', async () => {
    await using server = await startTestServer([thing])
    server.server.on('upgrade', (_, socket) => {
      socket.end('HTTP/1.1 426 Mine\r\nContent-Length: 0\r\n\r\n')
    })
    using connection = await openSocket(server.port)
    connection.send(upgrade('websocket'))
    expect((await connection.answer())?.status).toBe(426)
  })
})

describe.each([
  ['HTTP/2', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'],
  ['TLS', 'Connection: Upgrade\r\nUpgrade: TLS/1.0\r\n'],
  ['something unknown', 'Connection: Upgrade\r\nUpgrade: a/1\r\n'],
  ['several', 'Connection: keep-alive, Upgrade\r\nUpgrade: h2c, websocket\r\n'],
])('an offer of %s is ignored', (_, offer) => {
  const echo = route(
    { ...contract, path: '/echo', bodyKind: 'bytes' as const },
    {
      handle: async ({ body, request: { headers } }) => ({ body: String(body), names: Object.keys(headers) }),
    },
  )
  const marked = (name: string, line: string, headers = '', body = '') =>
    raw(line, `X-Correlation-Id: request-${name}\r\n${headers}`, body)

  test.each([
    ['alone', [marked('a', 'GET /echo', offer)]],
    ['before others in one piece', [marked('a', 'GET /echo', offer) + marked('b', 'GET /echo')]],
    [
      'with a body',
      [marked('a', 'POST /echo', `${offer}Content-Length: 3\r\n`, 'abc') + marked('b', 'GET /echo')],
    ],
    [
      'with a body in pieces',
      [marked('a', 'POST /echo', `${offer}Transfer-Encoding: chunked\r\n`), '3\r\nabc\r\n', '0\r\n\r\n'],
    ],
  ])('%s, and each request has its answer', async (__, pieces) => {
    await using server = await startTestServer([echo])
    using connection = await openSocket(server.port)
    for (const piece of pieces) {
      connection.send(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    connection.send(marked('z', 'GET /echo'))
    const expected = [...pieces.join('').matchAll(/request-\w/g)].map(([id]) => id)
    for (const id of [...expected, 'request-z']) {
      const answer = await connection.answer()
      expect(answer).toMatchObject({ status: 200, headers: { 'x-correlation-id': id } })
      const { names, body } = JSON.parse(answer?.body ?? '')
      expect(names).not.toContain('upgrade')
      expect(names).not.toContain('http2-settings')
      if (id === 'request-a' && pieces[0]?.includes('POST')) expect(body).toBe('abc')
    }
  })

  test('each time it is made', async () => {
    await using server = await startTestServer([echo])
    using connection = await openSocket(server.port)
    for (const name of ['a', 'b', 'c']) {
      connection.send(marked(name, 'GET /echo', offer))
      expect((await connection.answer())?.headers['x-correlation-id']).toBe(`request-${name}`)
    }
  })

  test('leaves nothing behind on its connection', async () => {
    await using server = await startTestServer([echo])
    const taken = once(server.server, 'connection')
    using connection = await openSocket(server.port)
    const [socket] = (await taken) as [Socket]
    const listening = () => socket.eventNames().map((name) => `${String(name)} ${socket.listenerCount(name)}`)
    const after: string[][] = []
    for (let count = 0; count < 20; count += 1) {
      connection.send(marked('a', 'GET /echo', offer))
      expect((await connection.answer())?.status).toBe(200)
      after.push(listening().toSorted())
    }
    expect(after.at(-1)).toEqual(after[0])
  })

  test('unless what else the request says is refused', async () => {
    const both = `${offer}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n`
    expect(await attempt(raw('POST /thing', both, '0\r\n\r\n'), true)).toMatchObject({ status: 400 })
  })
})
