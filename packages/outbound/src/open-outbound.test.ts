import { once } from 'node:events'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startCounted } from '../test/testing.ts'
import { openOutbound } from './open-outbound.ts'
import type { OutboundPolicy } from './outbound.ts'

const local = (policy: Partial<OutboundPolicy> = {}) => openOutbound({ allowed: ['127.0.0.0/8'], ...policy })

describe('calls that may be made', () => {
  it('answers as fetch does', async () => {
    await using server = await startCounted((request, response) => {
      response.statusCode = 201
      request.pipe(response)
    })
    await using outbound = local()
    const response = await outbound.fetch(server.url, { method: 'POST', body: 'hello' })
    expect([response.status, response.url, await response.text()]).toEqual([201, `${server.url}/`, 'hello'])
    expect(response).toBeInstanceOf(Response)
    const request = new Request(server.url, { method: 'POST', body: 'from a Request' })
    expect(await (await outbound.fetch(request)).text()).toBe('from a Request')
  })

  it('answers what has no body, and each cookie of its own', async () => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(204, { 'set-cookie': ['a=1', 'b=2'] }).end(),
    )
    await using outbound = local()
    const response = await outbound.fetch(server.url, { method: 'HEAD' })
    expect([response.status, response.body, response.headers.getSetCookie()]).toEqual([
      204,
      null,
      ['a=1', 'b=2'],
    ])
  })

  it('may be told of much that is not sent', async () => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(200, { 'content-length': '20000000' }).end(),
    )
    await using outbound = local()
    expect((await outbound.fetch(server.url, { method: 'HEAD' })).headers.get('content-length')).toBe(
      '20000000',
    )
  })

  it('asks no proxy that the environment names', async () => {
    await using server = await startCounted()
    await using proxy = await startCounted()
    const { HTTP_PROXY } = process.env
    process.env.HTTP_PROXY = proxy.url
    try {
      await using outbound = local()
      await (await outbound.fetch(server.url)).text()
    } finally {
      if (HTTP_PROXY === undefined) delete process.env.HTTP_PROXY
      else process.env.HTTP_PROXY = HTTP_PROXY
    }
    expect([server.counted.connections, proxy.counted.connections]).toEqual([1, 0])
  })

  it('shares no socket with another policy', async () => {
    await using server = await startCounted()
    await using one = local()
    await using other = openOutbound({ allowed: [] })
    await (await one.fetch(server.url)).text()
    await expect(other.fetch(server.url)).rejects.toThrow('is not a public address')
    expect(server.counted.requests).toBe(1)
  })
})

describe('redirects', () => {
  it('are checked like the first address', async () => {
    await using inside = await startCounted(undefined, '127.0.0.3')
    await using server = await startCounted((_request, response) =>
      response.writeHead(302, { location: `${inside.url}/latest/meta-data` }).end(),
    )
    await using outbound = openOutbound({ allowed: ['127.0.0.1'] })
    await expect(outbound.fetch(server.url)).rejects.toThrow('127.0.0.3 is not a public address')
    expect(inside.counted.connections).toBe(0)
  })

  it.each(['file:///etc/passwd', 'http://user:secret@127.0.0.1/', 'http://['])(
    'do not lead to %s',
    async (to) => {
      await using server = await startCounted((_request, response) =>
        response.writeHead(302, { location: to }).end(),
      )
      await using outbound = local()
      await expect(outbound.fetch(server.url)).rejects.toThrow('')
      expect(server.counted.requests).toBe(1)
    },
  )

  it('end after three', async () => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(307, { location: '/again' }).end(),
    )
    await using outbound = local()
    await expect(outbound.fetch(server.url)).rejects.toThrow('redirects more than 3 times')
    expect(server.counted.requests).toBe(4)
  })

  it('take credentials along to the same origin only, and the body where the method stays', async () => {
    const seen: unknown[] = []
    await using second = await startCounted((request, response) => {
      seen.push([request.method, request.headers.authorization, request.headers.cookie])
      response.end()
    })
    await using first = await startCounted((request, response) => {
      seen.push([request.method, request.headers.authorization, request.headers.cookie])
      const location = request.url === '/' ? '/same' : `${second.url}/other`
      response.writeHead(request.url === '/' ? 307 : 303, { location }).end()
    })
    await using outbound = local()
    const headers = { authorization: 'Bearer secret', cookie: 'a=b' }
    await outbound.fetch(first.url, { method: 'POST', body: 'text', headers })
    expect(seen).toEqual([
      ['POST', 'Bearer secret', 'a=b'],
      ['POST', 'Bearer secret', 'a=b'],
      ['GET', undefined, undefined],
    ])
  })

  it("leave headers of one's own behind at another origin", async () => {
    const seen: unknown[] = []
    await using second = await startCounted((request, response) => {
      const { accept, 'content-type': type, 'x-tenant-key': own, 'idempotency-key': key } = request.headers
      seen.push(request.method, accept, type, own, key)
      response.end()
    })
    await using first = await startCounted((_request, response) =>
      response.writeHead(307, { location: second.url }).end(),
    )
    await using outbound = local()
    const headers = { accept: 'a/b', 'content-type': 'c/d', 'x-tenant-key': 'secret', 'idempotency-key': 'k' }
    await outbound.fetch(first.url, { method: 'POST', body: 'text', headers })
    expect(seen).toEqual(['POST', 'a/b', 'c/d', undefined, 'k'])
  })

  it('end where the call says', async () => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(307, { location: '/again' }).end(),
    )
    await using outbound = local()
    await expect(outbound.fetch(server.url, { maxRedirects: 5 })).rejects.toThrow('more than 5 times')
    expect(server.counted.requests).toBe(6)
  })

  it('are answered as they are when the caller wants that', async () => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(302, { location: 'https://elsewhere.example/' }).end(),
    )
    await using outbound = local()
    const response = await outbound.fetch(server.url, { redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://elsewhere.example/'])
  })
})

describe('hostile answers', () => {
  it('end at the size that is allowed, announced or not, packed or not', async () => {
    const bytes = Buffer.alloc(50_000, 'x')
    await using server = await startCounted((request, response) => {
      if (request.url === '/announced') return response.end(bytes)
      if (request.url === '/streamed') return response.write(bytes) && response.end()
      response.setHeader('content-encoding', request.url === '/twice' ? 'gzip, gzip' : 'gzip')
      response.end(gzipSync(bytes))
    })
    await using outbound = local({ maxResponseBytes: 10_000 })
    for (const path of ['announced', 'streamed', 'packed', 'twice']) {
      const read = outbound.fetch(`${server.url}/${path}`).then((response) => response.text())
      await expect(read, path).rejects.toThrow()
    }
  })

  it('end in time: no answer, a slow one, one that never ends', async () => {
    await using server = await startCounted((request, response) => {
      if (request.url === '/silent') return
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    await using outbound = local({ timeoutMs: 300 })
    for (const path of ['silent', 'drip']) {
      const startedAt = performance.now()
      const read = outbound.fetch(`${server.url}/${path}`).then((response) => response.text())
      await expect(read, path).rejects.toThrow('timeout')
      expect(performance.now() - startedAt).toBePrompt(3000)
    }
  })

  it('that are no HTTP, or headers without end, are errors', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(`HTTP/1.1 200 OK\r\n${'x-long: y\r\n'.repeat(20_000)}`)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using outbound = local({ timeoutMs: 2000 })
    const { port } = server.address() as { port: number }
    await expect(outbound.fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed')
    server.close()
  })
})
