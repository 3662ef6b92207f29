import { request as httpRequest, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CONSOLE,
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
let listener: RequestListener
const bodies: string[] = []
beforeAll(async () => {
  service = await startUpstream((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      listener(request, response)
    })
  })
  gateway = await startGateway({ services: service.url })
  ada = await gateway.signIn()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const LIST = '/workspaces'
const KEYS = '/workspaces/w/security/apikeys'
const json =
  (body: unknown, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  }

const ask = async (path: string, init: RequestInit = {}) => {
  const headers = { ...ada.headers, ...(init.headers as Record<string, string>) }
  const answer = await fetch(gateway.url + path, { ...init, headers })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text }
}

describe('an answer in another version', () => {
  test('has the changed body, its length, and links into the same version', async () => {
    listener = json([{ id: 'ä' }], { link: '</v2/workspaces?limit=1&page=1>; rel="next"' })
    const { status, headers, text } = await ask(`/v3${LIST}?limit=1`)
    expect([status, text]).toEqual([200, '{"results":[{"id":"ä"}],"nextCursor":"1"}'])
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(headers.get('link')).toBe('</v3/workspaces?limit=1&page=1>; rel="next"')
    expect(headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{32}$/)
  })

  test('is changed however the service sends it: in pieces, without a length, compressed unasked', async () => {
    const expected = JSON.stringify({ results: [{ id: 'ä'.repeat(5000) }], nextCursor: null })
    const bytes = Buffer.from(JSON.stringify([{ id: 'ä'.repeat(5000) }]))
    listener = (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.write(bytes.subarray(0, 777))
      setImmediate(() => response.end(bytes.subarray(777)))
    }
    expect((await ask(`/v3${LIST}`)).text).toBe(expected)
    listener = json(gzipSync(bytes), { 'content-encoding': 'gzip' })
    const { text, headers } = await ask(`/v3${LIST}`, { headers: { 'accept-encoding': 'gzip' } })
    expect([text, headers.get('content-encoding')]).toEqual([expected, null])
    expect(service.seen.at(-1)?.headers['accept-encoding']).toBe('identity')
  })

  test('may be read by the pages that may read v2, and says what both depend on', async () => {
    listener = json([], { 'access-control-allow-origin': 'https://evil.example', vary: 'accept' })
    for (const [version, expected] of [
      ['v2', 'accept, Origin'],
      ['v3', 'accept, X-Platform-API-Version, Origin'],
    ] as const) {
      const date = version === 'v3' ? { 'x-platform-api-version': '2026-01-01' } : {}
      const { headers } = await ask(`/${version}${LIST}`, { headers: { origin: CONSOLE, ...date } })
      expect(headers.get('access-control-allow-origin')).toBe(CONSOLE)
      expect(headers.get('access-control-expose-headers')).toContain('x-platform-api-version-used')
      expect(headers.get('vary')).toBe(expected)
    }
  })

  test('sets each of several cookies', async () => {
    listener = (_request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.setHeader('content-type', 'application/json')
      response.end('[]')
    }
    expect((await ask(`/v3${LIST}`)).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  test('to HEAD says all but a length nobody knows', async () => {
    listener = json([], { etag: '"1"' })
    const { status, headers, text } = await ask(`/v3${LIST}`, { method: 'HEAD' })
    expect([status, text, headers.get('etag')]).toEqual([200, '', '"1;v3"'])
    expect(headers.has('content-length')).toBe(false)
  })

  test('without a body has none', async () => {
    for (const status of [204, 304]) {
      listener = (_request, response) => response.writeHead(status, { etag: '"1"' }).end()
      const answer = await ask(`/v3${LIST}`)
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([status, '', '"1;v3"'])
    }
    listener = json('')
    expect(await ask(`/v3${LIST}`)).toMatchObject({ status: 200, text: '' })
  })

  test('keeps the shape of errors', async () => {
    const error = { error: 'ForbiddenError', message: 'No.', details: { _id: 'x' } }
    listener = json(error, {}, 403)
    expect(await ask(`/v3${KEYS}`)).toMatchObject({ status: 403, text: JSON.stringify(error) })
  })

  test('lets pass as it comes what is no JSON', async () => {
    let finish = (): unknown => undefined
    listener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      finish = () => response.end()
    }
    const answer = await fetch(`${gateway.url}/v3/workspaces/w/events`, { headers: ada.headers })
    const reader = answer.body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    finish()
    expect((await reader?.read())?.done).toBe(true)
  })

  test('that is too large is 413 with a sentence that says what to do, and has no headers of the success', async () => {
    const large = JSON.stringify(['x'.repeat(10_000_001)])
    const streamed: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', etag: '"1"' })
      response.end(large)
    }
    // Compressed though nobody asked for it, and small until it is read.
    const packed = json(gzipSync(large), { etag: '"1"', 'content-encoding': 'gzip' })
    for (const one of [json(large, { etag: '"1"' }), streamed, packed]) {
      listener = one
      const { status, headers, text } = await ask(`/v3${LIST}`)
      expect([status, JSON.parse(text)]).toEqual([
        413,
        {
          error: 'PayloadTooLarge',
          message: expect.stringContaining('ask for fewer entries'),
          details: { max: 10_000_000 },
        },
      ])
      expect([headers.get('etag'), headers.get('content-encoding')]).toEqual([null, null])
    }
    listener = json([])
    expect((await ask(`/v3${LIST}`)).status).toBe(200)
  })

  test('that is no JSON is an error without the headers of the success', async () => {
    listener = json('{"a":', { 'set-cookie': 'a=b' })
    const { status, headers, text } = await ask(`/v3${LIST}`)
    expect([status, JSON.parse(text).error]).toEqual([500, 'InternalError'])
    expect(headers.has('set-cookie')).toBe(false)
  })

  test('that breaks off is no whole answer', async () => {
    listener = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('[')
      setImmediate(() => response.destroy())
    }
    await expect(ask(`/v3${LIST}`)).rejects.toThrow()
  })
})

describe('entity tags of another version', () => {
  test('are its own, and come back to the service as the ones it knows', async () => {
    listener = json({ id: 'w' }, { etag: '"abc"' })
    const { headers } = await ask('/v3/workspaces/w')
    expect(headers.get('etag')).toBe('"abc;v3"')
    await ask('/v3/workspaces/w', { headers: { 'if-none-match': '"abc;v3"' } })
    expect(service.seen.at(-1)?.headers['if-none-match']).toBe('"abc"')
    await ask('/v3/workspaces/w', { method: 'PATCH', headers: { 'if-match': '"abc"' } })
    expect(service.seen.at(-1)?.headers['if-match']).toBe('"abc;other"')
    await ask('/v2/workspaces/w', { headers: { 'if-none-match': '"abc"' } })
    expect(service.seen.at(-1)?.headers['if-none-match']).toBe('"abc"')
  })
})

describe('the behaviour of a date', () => {
  const on = (date: string) => ({ headers: { 'x-platform-api-version': date } })
  const key = { _id: '1', apiKey: 'iak_…', name: 'CI', rules: [], subjectId: 'w', subjectType: 'workspaces' }
  const old = { apiKey: 'iak_…', name: 'CI', rules: [], subjectId: 'w', subjectType: 'workspaces' }

  test('is answered, and the answer says which it is', async () => {
    listener = json([{ ...key, disabled: false }], { vary: 'origin', etag: '"1"' })
    const before = await ask(`/v2${KEYS}`, on('2025-03-01'))
    expect(JSON.parse(before.text)).toEqual([old])
    expect(before.headers.get('x-platform-api-version-used')).toBe('2024-12-31')
    expect(before.headers.get('vary')).toBe('origin, X-Platform-API-Version')
    expect(before.headers.get('etag')).toBe('"1;2024-12-31"')
    const since = await ask(`/v2${KEYS}`, on('2026-11-21'))
    expect(JSON.parse(since.text)).toEqual([{ ...key, disabled: false }])
    expect(since.headers.get('x-platform-api-version-used')).toBe('2026-11-21')
    const without = await ask(`/v2${KEYS}`)
    expect(without.headers.has('x-platform-api-version-used')).toBe(false)
  })

  test('is how a request of then is read', async () => {
    listener = json(key)
    const sent = { ...old, name: 'CI 2', rules: [{ action: ['read'], subject: 'files', conditions: {} }] }
    const answer = await ask(`/v2${KEYS}/iak_x`, {
      method: 'PUT',
      body: JSON.stringify(sent),
      headers: { 'content-type': 'application/json', ...on('2025-03-01').headers },
    })
    expect(bodies.at(-1)).toBe('{"name":"CI 2","rules":[{"action":["read"],"subject":"files"}]}')
    expect(JSON.parse(answer.text)).toEqual(old)
  })

  test('is within the major version: v3 has none yet', async () => {
    listener = json([])
    const { headers, text } = await ask(`/v3${LIST}`, on('2026-01-01'))
    expect([headers.get('x-platform-api-version-used'), JSON.parse(text)]).toEqual([
      '2025-06-30',
      { results: [], nextCursor: null },
    ])
    expect((await ask(`/v3${LIST}`, on('2025-06-29'))).status).toBe(400)
  })
})

describe('the body of a request in another version', () => {
  const put = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    ask(`/v3${KEYS}/iak_x`, {
      method: 'PUT',
      body: body as string,
      headers: { 'content-type': 'application/json', ...headers },
    })

  test('is changed, whatever its length', async () => {
    listener = json({ _id: '1' })
    for (const name of ['x', 'ä'.repeat(100_000)]) {
      expect((await put(JSON.stringify({ id: 'k', name }))).text).toBe('{"id":"1"}')
      expect(JSON.parse(bodies.at(-1) ?? '')).toEqual({ _id: 'k', name })
    }
  })

  test('is changed when it comes in chunks after 100-continue', async () => {
    listener = json({ _id: '1' })
    const status = await new Promise((resolve, reject) => {
      const headers = { ...ada.headers, 'content-type': 'application/json', expect: '100-continue' }
      const sent = httpRequest(`${gateway.url}/v3${KEYS}/iak_x`, { method: 'PUT', headers })
      sent.on('continue', () => {
        sent.write('{"id":')
        sent.end('"k"}')
      })
      sent.on('response', (answer) => resolve(answer.resume().statusCode))
      sent.on('error', reject)
      sent.flushHeaders()
    })
    expect([status, bodies.at(-1)]).toEqual([200, '{"_id":"k"}'])
    expect(service.seen.at(-1)?.headers).toMatchObject({ 'content-length': '11' })
    expect(service.seen.at(-1)?.headers).not.toHaveProperty('transfer-encoding')
  })

  test('is refused where v2 would: no JSON, keys that are there twice, too large', async () => {
    const before = service.seen.length
    for (const body of ['{', '{"id":1,"id":2}', '{"__proto__":{}}', new Uint8Array([34, 255, 34])])
      expect((await put(body)).status, String(body)).toBe(400)
    for (const size of [1_000_000, 12_000_000])
      expect((await put(`"${'x'.repeat(size)}"`)).status, String(size)).toBe(413)
    expect(service.seen.length).toBe(before)
  })

  test('is passed on as it is where it is no JSON', async () => {
    listener = json({ error: 'UnsupportedMediaType', message: '.' }, {}, 415)
    expect((await put('id=1', { 'content-type': 'text/plain' })).status).toBe(415)
    expect(bodies.at(-1)).toBe('id=1')
  })

  test('is not read of somebody who may not send it', async () => {
    const answer = await fetch(`${gateway.url}/v3${KEYS}/iak_x`, {
      method: 'PUT',
      body: '{',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(401)
  })

  test('leaves the connection usable', async () => {
    listener = json({ _id: '1' })
    for (let index = 0; index < 20; index += 1) {
      expect((await put(JSON.stringify({ id: String(index) }))).status).toBe(200)
      expect((await ask('/v2/login/providers')).status).toBe(200)
    }
  })
})

describe('cursors of v3', () => {
  test('are what v2 calls a page or an event', async () => {
    listener = json([])
    await ask(`/v3${LIST}?cursor=3&limit=5`)
    expect(service.seen.at(-1)?.url).toBe('/v2/workspaces?limit=5&page=3')
    await ask('/v3/workspaces/w/events?cursor=e1')
    expect(service.seen.at(-1)?.url).toBe('/v2/workspaces/w/events?beforeId=e1')
    await ask('/v3/workspaces/w/events?sort=asc&payload.a=x%20y&cursor=e1')
    expect(service.seen.at(-1)?.url).toBe('/v2/workspaces/w/events?sort=asc&payload.a=x+y&afterId=e1')
  })

  test('stand alone', async () => {
    for (const query of ['cursor=1&page=1', 'cursor=1&cursor=2'])
      expect((await ask(`/v3${LIST}?${query}`)).status, query).toBe(400)
  })
})
