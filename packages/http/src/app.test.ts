import { endpoint } from '@platform/contracts'
import { Failure, StoreError } from '@platform/kernel'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { credentials, openSocket, raw, startTestServer } from '../test/testing.ts'
import { type RequestInfo, type Route, respond, route } from './index.ts'

const contract = endpoint({
  id: 'thing',
  summary: 'Answers.',
  service: 'events',
  credential: 'none',
  method: 'get',
  path: '/thing',
  response: z.unknown(),
  failures: [],
})
const at = (path: string, handle: (request: RequestInfo) => Promise<unknown>): Route =>
  route({ ...contract, path }, { handle: ({ request }) => handle(request) })

const get = async (routes: Route[], path: string, init: RequestInit = {}) => {
  await using server = await startTestServer(routes)
  const response = await fetch(server.url + path, { ...init, headers: { ...credentials, ...init.headers } })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
    lines: server.lines,
  }
}

describe('a path that is announced and not built', () => {
  test.each([
    ['/v2/workspaces/w1/pages', 'Pages'],
    ['/v2/workspaces/w1/versions/v1/pull', 'Versions, import and export of workspaces'],
    ['/v2/orgs/acme/members', 'Organizations'],
    ['/v2/apps', 'Apps'],
  ])('says at %s that it is not available yet', async (path, part) => {
    const { status, json } = await get([], path)
    expect(status).toBe(404)
    expect(json).toMatchObject({ error: 'ObjectNotFoundError' })
    expect(json.message).toMatch(new RegExp(`not available yet. It belongs to: ${part}`))
  })

  test.each(['/v2/workspace', '/v2/workspaces/w1/page', '/pages', '/v2/workspaces/w1/pagesx'])(
    'and nothing of the kind at %s',
    async (path) => {
      const { status, json } = await get([], path)
      expect([status, json.message]).toEqual([404, `There is nothing at GET ${path}.`])
    },
  )
})

describe('an answer', () => {
  test('carries the correlation id and what browsers must not guess', async () => {
    const { status, headers, json } = await get([at('/thing', async () => ({ a: 1 }))], '/thing', {
      headers: { 'x-correlation-id': 'client-given-id' },
    })
    expect({ status, json }).toEqual({ status: 200, json: { a: 1 } })
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '7',
      'x-correlation-id': 'client-given-id',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(headers.has('x-powered-by')).toBe(false)
    expect(headers.has('etag')).toBe(false)
  })

  test('may set its status, headers, and bytes that are no JSON', async () => {
    const routes = [
      at('/cached', async () =>
        respond([], { status: 201, headers: { 'cache-control': 'max-age=300', etag: '"1"' } }),
      ),
      at('/page', async () => respond('<p>ä</p>', { contentType: 'text/html; charset=utf-8' })),
      at('/bytes', async () => respond(new Uint8Array([1, 2]), { contentType: 'application/octet-stream' })),
      at('/unchanged', async () => respond(undefined, { status: 304, headers: { etag: '"1"' } })),
      at('/elsewhere', async () => respond(undefined, { status: 303, headers: { location: '/thing' } })),
    ]
    const cached = await get(routes, '/cached')
    expect([cached.status, cached.headers.get('cache-control')]).toEqual([201, 'max-age=300'])
    await using server = await startTestServer(routes)
    const page = await fetch(`${server.url}/page`, { headers: credentials })
    expect([page.headers.get('content-type'), await page.text()]).toEqual([
      'text/html; charset=utf-8',
      '<p>ä</p>',
    ])
    expect(await (await fetch(`${server.url}/bytes`, { headers: credentials })).bytes()).toEqual(
      new Uint8Array([1, 2]),
    )
    const unchanged = await fetch(`${server.url}/unchanged`, { headers: credentials })
    expect([unchanged.status, unchanged.headers.get('content-type')]).toEqual([304, null])
    const elsewhere = await fetch(`${server.url}/elsewhere`, { headers: credentials, redirect: 'manual' })
    expect([elsewhere.status, elsewhere.headers.get('location')]).toEqual([303, '/thing'])
  })

  test('holds only what its contract names', async () => {
    const listed = { ...contract, response: z.object({ id: z.string() }) }
    const { json } = await get([route(listed, { handle: async () => ({ id: '1', hash: 'x' }) })], '/thing')
    expect(json).toEqual({ id: '1' })
  })

  test('that breaks its contract is InternalError, without the headers of the success', async () => {
    const broken = { ...contract, response: z.object({ id: z.string() }) }
    const handle = async () =>
      respond({ id: 1, secret: 'hunter2' }, { headers: { 'set-cookie': 'a=b', etag: '"1"' } })
    const { status, json, headers } = await get([route(broken, { handle })], '/thing')
    expect([status, json.error]).toEqual([500, 'InternalError'])
    expect(headers.has('set-cookie') || headers.has('etag')).toBe(false)
  })
})

describe('a path', () => {
  const routes = [
    at('/thing', async () => ({ a: 1 })),
    route({ ...contract, method: 'delete', path: '/thing' }, { handle: async () => ({}) }),
    route({ ...contract, path: '/things/:id' }, { handle: async ({ params }) => params }),
    route({ ...contract, path: '/files/*path' }, { handle: async ({ params }) => params }),
  ]

  test('that is not there is 404 in the error shape', async () => {
    for (const path of ['/', '/nothing?token=hunter2', '/Thing', '/thing/more']) {
      const { status, json, text } = await get(routes, path)
      expect([status, json.error]).toEqual([404, 'ObjectNotFoundError'])
      expect(Object.keys(json)).toEqual(['error', 'message'])
      expect(text).not.toContain('hunter2')
    }
  })

  test('with another method is 405 and tells which are there', async () => {
    const { status, json, headers } = await get(routes, '/thing', { method: 'POST', body: 'x' })
    expect([status, json.error, headers.get('allow')]).toEqual([405, 'MethodNotAllowed', 'GET, HEAD, DELETE'])
    expect((await get(routes, '/thing', { method: 'OPTIONS' })).status).toBe(405)
    expect((await get(routes, '/nothing', { method: 'POST' })).status).toBe(404)
  })

  test('answers HEAD as GET, without the body', async () => {
    const { status, headers, text } = await get(routes, '/thing', { method: 'HEAD' })
    expect([status, headers.get('content-length'), text]).toEqual([200, '7', ''])
    expect((await get(routes, '/nothing', { method: 'HEAD' })).status).toBe(404)
  })

  test.each([
    ['/things/a%2Fb', { id: 'a/b' }],
    ['/things/%C3%A9%20x', { id: 'é x' }],
    ['/things/a/', { id: 'a' }],
    ['/files/a', { path: 'a' }],
    ['/files/a/b%20c/d', { path: 'a/b c/d' }],
    ['/files/a//b', { path: 'a//b' }],
    ['/files/a%2Fb', { path: 'a/b' }],
    ['/things/__proto__', { id: '__proto__' }],
  ])('%s has its parameters decoded', async (path, params) => {
    expect((await get(routes, path)).json).toEqual(params)
  })

  test('with a parameter of more than 2,000 characters is 400', async () => {
    expect((await get(routes, `/things/${'a'.repeat(2001)}`)).json.error).toBe('RequestValidationError')
  })
})

describe('an error', () => {
  test('nobody foresaw is InternalError, and only the log knows why', async () => {
    const error = new Error('relation "users" does not exist at postgres://u:hunter2@db')
    const { status, json, text, headers, lines } = await get(
      [at('/thing', () => Promise.reject(error))],
      '/thing',
    )
    expect([status, json.error]).toEqual([500, 'InternalError'])
    expect(text).not.toMatch(/users|hunter2|at /)
    const logged = lines.find(({ msg }) => msg === 'request failed')
    expect(logged).toMatchObject({ level: 'error', correlationId: headers.get('x-correlation-id') })
    expect(JSON.stringify(logged)).toContain('does not exist at postgres://[credentials]@db')
  })

  test('of a store that is down is 503 with Retry-After, of a wrong statement 500', async () => {
    const down = new StoreError('connect ECONNREFUSED 10.1.2.3', { unavailable: true })
    const { status, json, headers, text } = await get([at('/thing', () => Promise.reject(down))], '/thing')
    expect([status, json.error, headers.get('retry-after')]).toEqual([503, 'ServiceUnavailable', '1'])
    expect(text).not.toContain('10.1.2.3')
    const wrong = new StoreError('syntax error', { unavailable: false })
    expect((await get([at('/thing', () => Promise.reject(wrong))], '/thing')).status).toBe(500)
  })

  test('may say how long to wait, in whole seconds', async () => {
    const busy = new Failure('TooManyRequests', 'Too many.', { retryAfterSeconds: 2.2 })
    const { status, headers } = await get([at('/thing', () => Promise.reject(busy))], '/thing')
    expect([status, headers.get('retry-after')]).toEqual([429, '3'])
  })

  test('thrown that is no error is InternalError too', async () => {
    for (const thrown of ['text', undefined, null, { message: 'x' }])
      expect((await get([at('/thing', () => Promise.reject(thrown))], '/thing')).status).toBe(500)
  })

  test('after the answer has begun cuts the connection: half an answer is never a whole one', async () => {
    await using server = await startTestServer(
      [],
      [
        {
          path: '/stream',
          listener: (_, response) => {
            response.writeHead(200, { 'content-length': '100' })
            response.write('half')
            setTimeout(() => response.destroy(new Error('broken')), 10)
          },
        },
      ],
    )
    await expect(
      fetch(`${server.url}/stream`, { headers: credentials }).then((r) => r.text()),
    ).rejects.toThrow()
  })

  test('of the caller: who may not call is told before anything is read', async () => {
    const guarded = {
      ...contract,
      credential: 'required' as const,
      method: 'post' as const,
      query: z.strictObject({}),
      body: z.strictObject({}),
    }
    const handle = vi.fn(async () => ({}))
    const { status } = await get([route(guarded, { handle })], '/thing?x=1', {
      method: 'POST',
      body: '{',
    })
    expect(status).toBe(401)
    expect(handle).not.toHaveBeenCalled()
  })

  test('of the scope is 403 and names it', async () => {
    const scoped = { ...contract, scope: 'events:write' as const }
    const { status, json } = await get([route(scoped, { handle: async () => ({}) })], '/thing', {
      headers: {
        'x-platform-user-id': 'ada',
        'x-platform-session-id': 's',
        'x-platform-scope': 'events:read',
      },
    })
    expect([status, json]).toEqual([
      403,
      { error: 'InsufficientScope', message: expect.any(String), details: { scope: 'events:write' } },
    ])
  })
})

describe('a request is logged and counted', () => {
  test('with the pattern of its route, never with its path or query', async () => {
    const routes = [route({ ...contract, path: '/things/:id' }, { handle: async () => ({}) })]
    const { lines } = await get(routes, '/things/hunter2?token=hunter2')
    await vi.waitFor(() => expect(lines).toHaveLength(1))
    expect(lines[0]).toMatchObject({
      service: 'events',
      method: 'GET',
      route: '/things/:id',
      status: 200,
      ms: expect.any(Number),
      principal: 'nobody',
      msg: 'request answered',
    })
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })

  test('as 499 when the client left before its answer, which harms nobody', async () => {
    const work = Promise.withResolvers<void>()
    let signal: AbortSignal | undefined
    const handle = async (request: RequestInfo) => {
      signal = request.signal
      await work.promise
      return { late: true }
    }
    await using server = await startTestServer([at('/slow', handle), at('/thing', async () => ({}))])
    const connection = await openSocket(server.port)
    connection.send(raw('GET /slow'))
    await vi.waitFor(() => expect(signal).toBeDefined())
    connection.socket.destroy()
    await vi.waitFor(() => expect(signal?.aborted).toBe(true))
    work.resolve()
    await vi.waitFor(() => expect(server.lines).toMatchObject([{ route: '/slow', status: 499 }]))
    expect((await fetch(`${server.url}/thing`, { headers: credentials })).status).toBe(200)
  })

  test('the signal of a request ends at the deadline the gateway set', async () => {
    const handle = (request: RequestInfo) =>
      new Promise((resolve) =>
        request.signal.addEventListener('abort', () => resolve({ deadlineAt: request.deadlineAt })),
      )
    const deadlineAt = Date.now() + 1000
    const { json } = await get([at('/slow', handle)], '/slow', {
      headers: { 'x-platform-request-deadline': String(deadlineAt) },
    })
    expect(json).toEqual({ deadlineAt })
  })

  test('a deadline that is none, or lies years ahead, is not believed', async () => {
    const handle = async ({ deadlineAt }: RequestInfo) => ({ aheadMs: deadlineAt - Date.now() })
    for (const [given, most] of [
      ['soon', 60_000],
      ['-1', 60_000],
      ['99999999999999', 3_600_000],
    ] as const) {
      const { json } = await get([at('/thing', handle)], '/thing', {
        headers: { 'x-platform-request-deadline': given },
      })
      expect(json.aheadMs).toBeGreaterThan(most - 5000)
      expect(json.aheadMs).toBeLessThanOrEqual(most)
    }
  })
})

describe('a mount', () => {
  test('sees the path without its prefix, and its answers carry the common headers', async () => {
    const mount = {
      path: '/oidc',
      listener: (request: { url?: string | undefined }, response: { end(text: string): void }) =>
        response.end(JSON.stringify(request.url)),
    }
    await using server = await startTestServer([at('/oidc/jwks', async () => 'ours')], [mount])
    const theirs = await fetch(`${server.url}/oidc/auth?x=1`, { headers: credentials })
    expect(await theirs.json()).toBe('/auth?x=1')
    expect(theirs.headers.get('x-content-type-options')).toBe('nosniff')
    expect(theirs.headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{32}$/)
    expect(await (await fetch(`${server.url}/oidc/jwks`, { headers: credentials })).json()).toBe('ours')
  })
})
