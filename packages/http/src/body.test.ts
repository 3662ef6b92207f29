import { endpoint } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { credentials, openSocket, raw, startTestServer } from '../test/testing.ts'
import { type Route, readBody, route } from './index.ts'

const base = {
  summary: '',
  service: 'events',
  credential: 'none',
  method: 'post',
  failures: [],
  response: z.unknown(),
} as const
const received = vi.fn(async ({ body }: { body: unknown }) => ({ body }))
const routes: Route[] = [
  route(
    endpoint({
      ...base,
      id: 'save',
      path: '/things',
      body: z.strictObject({
        name: z.string(),
        tags: z.array(z.strictObject({ id: z.number() })).optional(),
      }),
    }),
    {
      handle: received,
    },
  ),
  route(endpoint({ ...base, id: 'optional', path: '/optional', body: z.strictObject({}).optional() }), {
    handle: async ({ body }) => ({ body: body ?? null }),
  }),
  route(
    endpoint({ ...base, id: 'automation', path: '/automations', bodyKind: 'automation', body: z.unknown() }),
    {
      handle: async ({ body }) => body,
    },
  ),
  route(
    endpoint({
      ...base,
      id: 'bytes',
      path: '/bytes',
      bodyKind: 'bytes',
      bodyLimitBytes: 10,
      body: z.unknown(),
    }),
    {
      handle: async ({ body }) => ({ length: (body as Buffer).length }),
    },
  ),
  route(
    endpoint({
      ...base,
      id: 'hidden',
      path: '/hidden',
      bodyKind: 'bytes',
      bodyLimitBytes: 3_000_000,
      body: z.unknown(),
    }),
    {
      admit: () => Promise.reject(new Failure('ObjectNotFoundError', 'There is nothing.')),
      handle: received,
    },
  ),
  route(endpoint({ ...base, id: 'bodyless', method: 'get', path: '/bodyless' }), {
    handle: async () => ({}),
  }),
]
const json = { 'content-type': 'application/json' }

interface Answered {
  error?: string
  message?: string
  details?: { path: string; message: string }[]
}

const post = async (path: string, body: RequestInit['body'], headers: Record<string, string> = json) => {
  await using server = await startTestServer(routes)
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: body ?? null,
    headers: { ...credentials, ...headers },
  })
  return { status: response.status, json: (await response.json()) as Answered }
}

describe('a JSON body', () => {
  test('arrives parsed', async () => {
    expect(await post('/things', '{"name":"é"}')).toEqual({ status: 200, json: { body: { name: 'é' } } })
    expect(
      (await post('/things', '{"name":"a"}', { 'content-type': 'Application/JSON; charset="UTF-8"' })).status,
    ).toBe(200)
  })

  test.each([
    ['{"name":"a","role":"owner"}', [{ path: 'body.role', message: 'is not known here' }]],
    [
      '{"name":"a","tags":[{"id":1},{"id":2,"x":1,"y":2}]}',
      [
        { path: 'body.tags.1.x', message: 'is not known here' },
        { path: 'body.tags.1.y', message: 'is not known here' },
      ],
    ],
    ['{}', [{ path: 'body.name', message: 'is required' }]],
    [
      '{"name":1,"tags":{}}',
      [
        { path: 'body.name', message: 'must be a string' },
        { path: 'body.tags', message: 'must be an array' },
      ],
    ],
    ['[]', [{ path: 'body', message: 'must be an object' }]],
    ['null', [{ path: 'body', message: 'must be an object' }]],
  ])('%s is refused with every problem and its path', async (body, details) => {
    const { status, json: answered } = await post('/things', body)
    expect([status, answered.error]).toEqual([400, 'RequestValidationError'])
    expect(answered.details).toEqual(details)
    expect(answered.message).toBe(`${details[0]?.path}: ${details[0]?.message}.`)
  })

  test('with thousands of unknown keys is answered with a few of them, cut', async () => {
    const body = JSON.stringify(
      Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${'k'.repeat(150)}${at}`, at])),
    )
    const { json: answered } = await post('/things', body)
    expect(answered.details).toHaveLength(20)
    expect(JSON.stringify(answered).length).toBeLessThan(10_000)
  })

  test('is asked for where it is missing, and may be missing where it is optional', async () => {
    expect((await post('/things', undefined)).json.details).toEqual([
      { path: 'body', message: 'is required' },
    ])
    expect(await post('/optional', undefined, {})).toEqual({ status: 200, json: { body: null } })
    expect((await post('/optional', '')).json).toEqual({ body: null })
  })

  test.each([
    [{ 'content-type': 'text/plain' }, 'The Content-Type is "text/plain": send application/json.'],
    [{ 'content-type': '' }, 'The Content-Type is missing: send application/json.'],
    [
      { 'content-type': 'application/json; charset=latin1' },
      'The charset "latin1" is not read here: send UTF-8.',
    ],
    [
      { ...json, 'content-encoding': 'gzip' },
      'The Content-Encoding "gzip" is not read here: send the body as it is.',
    ],
  ])('as %o is 415', async (headers, message) => {
    const answered = await post('/things', Buffer.from('{"name":"a"}'), headers)
    expect(answered).toMatchObject({
      status: 415,
      json: { error: 'UnsupportedMediaType', message, details: { accepted: ['application/json'] } },
    })
  })
})

describe('an automation', () => {
  test('arrives as its text, JSON or YAML', async () => {
    expect((await post('/automations', 'name: a', { 'content-type': 'text/yaml' })).json).toEqual({
      text: 'name: a',
      mediaType: 'yaml',
    })
    expect((await post('/automations', '{"a":1}')).json).toEqual({ text: '{"a":1}', mediaType: 'json' })
  })

  test('is left to its reader, who knows lines and columns, JSON that is not valid included', async () => {
    expect((await post('/automations', '{"a":1,"a":')).json).toEqual({
      text: '{"a":1,"a":',
      mediaType: 'json',
    })
  })

  test('must be UTF-8 and of one of its media types', async () => {
    expect((await post('/automations', Buffer.from([0xff]))).status).toBe(400)
    expect((await post('/automations', Buffer.from([0xff]), { 'content-type': 'text/yaml' })).status).toBe(
      400,
    )
    expect((await post('/automations', 'a', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('the size of a body', () => {
  const exactly = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`

  test('may be 1 MB and no byte more', async () => {
    expect((await post('/things', exactly(1_000_000))).status).toBe(200)
    expect(await post('/things', exactly(1_000_001))).toMatchObject({
      status: 413,
      json: { error: 'PayloadTooLarge', details: { max: 1_000_000 } },
    })
  })

  test('is counted while it streams, and the client that is still sending reads why', async () => {
    const chunk = Buffer.alloc(50_000, 'a')
    const stream = ReadableStream.from(Array.from({ length: 200 }, () => chunk))
    const init = {
      method: 'POST',
      body: stream,
      duplex: 'half',
      headers: { ...credentials, ...json },
    } as RequestInit
    await using server = await startTestServer(routes)
    const response = await fetch(`${server.url}/things`, init)
    expect([response.status, response.headers.get('connection')]).toEqual([413, 'close'])
    expect(((await response.json()) as { error: string }).error).toBe('PayloadTooLarge')
  })

  test('is the limit of the contract where it has one', async () => {
    expect((await post('/bytes', '0123456789', {})).json).toEqual({ length: 10 })
    expect((await post('/bytes', '0123456789a', {})).status).toBe(413)
    expect((await post('/bytes', undefined, {})).json).toEqual({ length: 0 })
  })
})

describe('a connection', () => {
  const refused = 'not json at all'

  test('serves the next request after a body was refused, read or not', async () => {
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    const length = `Content-Length: ${refused.length}\r\n`
    connection.send(raw('POST /things', `Content-Type: application/json\r\n${length}`, refused))
    expect((await connection.answer())?.status).toBe(400)
    connection.send(raw('POST /things', `Content-Type: text/plain\r\n${length}`, refused))
    expect((await connection.answer())?.status).toBe(415)
    connection.send(raw('POST /nowhere', length, refused))
    expect((await connection.answer())?.status).toBe(404)
    connection.send(raw('GET /bodyless', length, refused))
    expect((await connection.answer())?.status).toBe(200)
    connection.send(raw('GET /bodyless'))
    expect((await connection.answer())?.status).toBe(200)
  })

  test('never takes a late body for the next request', async () => {
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    const smuggled = raw('GET /bodyless')
    connection.send(raw('POST /nowhere', `Content-Length: ${smuggled.length}\r\n`))
    expect((await connection.answer())?.status).toBe(404)
    connection.send(smuggled)
    connection.send(raw('GET /nowhere/else'))
    expect((await connection.answer())?.status).toBe(404)
    await expect(connection.answer(50)).rejects.toThrow('No answer')
  })

  test('ends after a long body was refused unread', async () => {
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    connection.send(
      raw('POST /things', 'Content-Type: application/json\r\nContent-Length: 2000000\r\n', 'a'.repeat(1000)),
    )
    const answer = await connection.answer()
    expect([answer?.status, answer?.headers.connection]).toEqual([413, 'close'])
    await connection.closed()
  })

  test('ends before bytes are read that nobody may send', async () => {
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    connection.send(raw('POST /hidden', 'Content-Length: 2000000\r\n', 'a'.repeat(1000)))
    const answer = await connection.answer()
    expect([answer?.status, answer?.headers.connection]).toEqual([404, 'close'])
  })

  test('that breaks in the middle of a body reaches no handler, and the server goes on', async () => {
    received.mockClear()
    await using server = await startTestServer(routes)
    const connection = await openSocket(server.port)
    connection.send(
      raw('POST /things', 'Content-Type: application/json\r\nContent-Length: 12\r\n', '{"name"'),
    )
    await vi.waitFor(async () => expect(await countConnections(server.server)).toBe(1))
    connection.socket.destroy()
    await vi.waitFor(() => expect(server.lines).toMatchObject([{ route: '/things', status: 499 }]))
    expect(received).not.toHaveBeenCalled()
    expect((await fetch(`${server.url}/bodyless`, { headers: credentials })).status).toBe(200)
  })

  test('many bodies over one connection leave no listeners behind', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    for (let count = 0; count < 30; count += 1) {
      connection.send(
        raw('POST /things', 'Content-Type: application/json\r\nContent-Length: 12\r\n', '{"name":"a"}'),
      )
      expect((await connection.answer())?.status).toBe(200)
    }
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })
})

describe('Expect: 100-continue', () => {
  const head = (path: string, bytes: number) =>
    raw(
      `POST ${path}`,
      `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${bytes}\r\n`,
    )

  test('is answered when the body is wanted', async () => {
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    connection.send(head('/things', 12))
    expect((await connection.answer())?.status).toBe(100)
    connection.send('{"name":"a"}')
    expect(await connection.answer()).toMatchObject({ status: 200, body: '{"body":{"name":"a"}}' })
    connection.send(raw('GET /bodyless'))
    expect((await connection.answer())?.status).toBe(200)
  })

  test.each([
    ['/nowhere', 12, 404],
    ['/things', 2_000_000, 413],
  ])('%s with %i bytes is refused before a byte of the body', async (path, bytes, status) => {
    await using server = await startTestServer(routes)
    using connection = await openSocket(server.port)
    connection.send(head(path, bytes))
    const answer = await connection.answer()
    expect([answer?.status, answer?.headers.connection]).toEqual([status, 'close'])
    await connection.closed()
  })
})

describe('reading a body', () => {
  test('twice is a mistake that is told instead of waiting for ever', async () => {
    const mount = {
      path: '/twice',
      listener: async (request: Parameters<typeof readBody>[0], response: { end(text: string): void }) => {
        await readBody(request, 100)
        response.end(await readBody(request, 100).then(String, (error: Error) => error.message))
      },
    }
    await using server = await startTestServer([], [mount])
    const response = await fetch(`${server.url}/twice`, { method: 'POST', body: 'a', headers: credentials })
    expect(await response.text()).toBe('The body of the request was read before.')
  })
})

const countConnections = (server: {
  getConnections(done: (error: Error | null, count: number) => void): void
}) => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
