import { endpoint } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { INTERNAL_KEY, openSocket, raw, startTestServer } from '../test/testing.ts'
import { route } from './index.ts'

const echo = endpoint({
  id: 'echo',
  summary: 'Answers what it was sent.',
  service: 'events',
  credential: 'none',
  method: 'all',
  path: '/echo/*path',
  bodyKind: 'bytes',
  body: z.unknown(),
  response: z.unknown(),
  failures: [],
})
const echoRoute = route(echo, {
  handle: async ({ params, body }) => ({ path: params.path, body: String(body) }),
})

/** Sends bytes as they are; answers what came back and whether the connection could be used again. */
const attempt = async (bytes: string | Buffer) => {
  await using server = await startTestServer([echoRoute])
  using connection = await openSocket(server.port)
  connection.send(bytes)
  const answer = await connection.answer()
  return { answer, body: answer === undefined ? undefined : JSON.parse(answer.body || 'null'), connection }
}
const chunked = 'Transfer-Encoding: chunked\r\n'
const key = `X-Platform-Internal-Key: ${INTERNAL_KEY}\r\n`

describe('bytes that are no honest request are refused in the error shape', () => {
  test.each<[name: string, bytes: string, status: number, error: string]>([
    [
      'two Content-Length',
      raw('POST /echo/a', 'Content-Length: 1\r\nContent-Length: 2\r\n', 'ab'),
      400,
      'RequestValidationError',
    ],
    [
      'two equal Content-Length',
      raw('POST /echo/a', 'Content-Length: 1\r\nContent-Length: 1\r\n', 'a'),
      400,
      'RequestValidationError',
    ],
    [
      'Content-Length and Transfer-Encoding',
      raw('POST /echo/a', `Content-Length: 1\r\n${chunked}`, '0\r\n\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'Transfer-Encoding before Content-Length',
      raw('POST /echo/a', `${chunked}Content-Length: 5\r\n`, '0\r\n\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'another transfer coding',
      raw('POST /echo/a', 'Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'a misspelt transfer coding',
      raw('POST /echo/a', 'Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'two Transfer-Encoding',
      raw('POST /echo/a', chunked + chunked, '0\r\n\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'Transfer-Encoding in HTTP/1.0',
      `POST /echo/a HTTP/1.0\r\n${key}${chunked}\r\n0\r\n\r\n`,
      400,
      'RequestValidationError',
    ],
    [
      'a signed Content-Length',
      raw('POST /echo/a', 'Content-Length: +1\r\n', 'a'),
      400,
      'RequestValidationError',
    ],
    ['a space before the colon', raw('GET /echo/a', 'X-A : 1\r\n'), 400, 'RequestValidationError'],
    ['a folded header', raw('GET /echo/a', 'X-A: 1\r\n 2\r\n'), 400, 'RequestValidationError'],
    ['a bare line feed', raw('GET /echo/a', 'X-A: 1\nX-B: 2\r\n'), 400, 'RequestValidationError'],
    ['a header without a name', raw('GET /echo/a', ': 1\r\n'), 400, 'RequestValidationError'],
    ['a NUL in a header', raw('GET /echo/a', 'X-A: a\u0000b\r\n'), 400, 'RequestValidationError'],
    ['an invalid chunk size', raw('POST /echo/a', chunked, 'zz\r\nabc\r\n'), 400, 'RequestValidationError'],
    ['two Host', raw('GET /echo/a', 'Host: y\r\n'), 400, 'RequestValidationError'],
    ['no Host', `GET /echo/a HTTP/1.1\r\n${key}\r\n`, 400, 'RequestValidationError'],
    ['two internal keys', raw('GET /echo/a', key), 400, 'RequestValidationError'],
    [
      'two user ids',
      raw('GET /echo/a', 'X-Platform-User-Id: a\r\nx-platform-user-id: b\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'two Authorization',
      raw('GET /echo/a', 'Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'),
      400,
      'RequestValidationError',
    ],
    [
      'two Content-Type',
      raw('POST /echo/a', 'Content-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 1\r\n', 'a'),
      400,
      'RequestValidationError',
    ],
    ['an absolute target', raw('GET http://x/echo/a'), 400, 'RequestValidationError'],
    ['a target that is no path', raw('GET *'), 400, 'RequestValidationError'],
    ['raw UTF-8 in the path', raw('GET /echo/é'), 400, 'RequestValidationError'],
    ['a fragment', raw('GET /echo/a#b'), 400, 'RequestValidationError'],
    ['a broken percent-encoding', raw('GET /echo/%zz'), 400, 'RequestValidationError'],
    ['a cut percent-encoding', raw('GET /echo/%4'), 400, 'RequestValidationError'],
    ['a percent-encoding that is no UTF-8', raw('GET /nowhere/%ff'), 400, 'RequestValidationError'],
    ['an encoded NUL', raw('GET /echo/a%00b'), 400, 'RequestValidationError'],
    ['TRACE', raw('TRACE /echo/a'), 405, 'MethodNotAllowed'],
    ['a method nobody knows', raw('FETCH /echo/a'), 400, 'RequestValidationError'],
    [
      'another expectation',
      raw('POST /echo/a', 'Expect: 200-maybe\r\nContent-Length: 1\r\n', 'a'),
      417,
      'ExpectationFailed',
    ],
    [
      '100 headers',
      raw('GET /echo/a', Array.from({ length: 98 }, (_, at) => `X-${at}: 1\r\n`).join('')),
      431,
      'HeadersTooLarge',
    ],
    ['17 KB of headers', raw('GET /echo/a', `X-A: ${'a'.repeat(17_000)}\r\n`), 431, 'HeadersTooLarge'],
    ['no HTTP at all', '\u0016\u0003\u0001\u0002\u0000\u0001', 400, 'RequestValidationError'],
    ['HTTP/2 without being asked', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'RequestValidationError'],
    ['no internal key', 'GET /echo/a HTTP/1.1\r\nHost: x\r\n\r\n', 401, 'AuthenticationError'],
    [
      'another internal key',
      'GET /echo/a HTTP/1.1\r\nHost: x\r\nX-Platform-Internal-Key: no\r\n\r\n',
      401,
      'AuthenticationError',
    ],
  ])('%s', async (_, bytes, status, error) => {
    const { answer, body } = await attempt(Buffer.from(bytes))
    expect({ status: answer?.status, body }).toEqual({
      status,
      body: { error, message: expect.stringMatching(/^[A-Z].*\.$/) },
    })
    expect(answer?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-correlation-id': expect.stringMatching(/^[0-9a-f]{32}$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
  })

  test('honest forms that look unusual are taken', async () => {
    for (const [bytes, body] of [
      [raw('POST /echo/a', chunked, '1\r\na\r\n0\r\n\r\n'), 'a'],
      [raw('POST /echo/a', 'Transfer-Encoding: Chunked\r\n', '1\r\na\r\n0\r\n\r\n'), 'a'],
      [raw('POST /echo/a?q=%ff%zz', 'Content-Length: 1\r\n', 'a'), 'a'],
      [raw('PURGE /echo/a'), ''],
    ] as const) {
      const { answer, body: answered } = await attempt(bytes)
      expect(answer?.status).toBe(200)
      expect(answered).toEqual({ path: 'a', body })
    }
  })
})

describe('garbage behind an honest request', () => {
  test('is never answered in place of the request before it', async () => {
    const slow = Promise.withResolvers<void>()
    const slowRoute = route(
      { ...echo, path: '/slow', method: 'get' as const },
      { handle: async () => slow.promise.then(() => ({ slow: true })) },
    )
    await using server = await startTestServer([slowRoute])
    using connection = await openSocket(server.port)
    connection.send(`${raw('GET /slow')}GARBAGE\r\n\r\n`)
    await connection.closed()
    slow.resolve()
    expect(await connection.answer()).toBeUndefined()
  })
})
