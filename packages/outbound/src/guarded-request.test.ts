import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { startCounted } from '../test/testing.ts'
import { OutboundRefused } from './callable.ts'
import { openOutbound } from './open-outbound.ts'
import type { OutboundPolicy, OutboundRequest } from './outbound.ts'

const local = (policy: Partial<OutboundPolicy> = {}) => openOutbound({ allowed: ['127.0.0.0/8'], ...policy })

const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: new URL(url),
  method: 'GET',
  headers: {},
  ...more,
})

async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const found: Buffer[] = []
  for await (const piece of pieces) found.push(piece)
  return found
}

/** Sends pieces until the other side leaves. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('.'), 20)
  response.on('close', () => clearInterval(timer))
}

describe('a request', () => {
  it('sends what it is given, and answers with headers as texts and cookies as a list', async () => {
    await using server = await startCounted((request, response) => {
      response.writeHead(201, [
        ...['content-type', request.headers['content-type'] ?? ''],
        ...['vary', 'accept', 'vary', 'origin', 'set-cookie', 'a=1, x', 'set-cookie', 'b=2'],
      ])
      request.pipe(response)
    })
    await using outbound = local()
    const headers = { 'content-type': 'text/x-own' }
    const answer = await outbound.request(get(server.url, { method: 'POST', headers, body: 'hëllo' }))
    expect(answer).toMatchObject({
      status: 201,
      headers: { 'content-type': 'text/x-own', vary: 'accept, origin', 'set-cookie': ['a=1, x', 'b=2'] },
    })
    expect((await answer.bytes()).toString()).toBe('hëllo')
  })

  it('says of itself what a client says, unless it is told', async () => {
    await using server = await startCounted((request, response) =>
      response.end(JSON.stringify(request.headers)),
    )
    await using outbound = local()
    const sent = async (headers: Record<string, string>) =>
      JSON.parse(String(await (await outbound.request(get(server.url, { headers }))).bytes()))
    expect(await sent({})).toMatchObject({ accept: '*/*', 'accept-encoding': 'gzip, br, zstd' })
    expect(await sent({ range: 'bytes=0-1' })).toMatchObject({ 'accept-encoding': 'identity' })
    expect(await sent({ accept: 'a/b' })).toMatchObject({ accept: 'a/b' })
  })

  it('uses connections again once their answers were read', async () => {
    await using server = await startCounted()
    await using outbound = local()
    for (let index = 0; index < 20; index += 1) await (await outbound.request(get(server.url))).bytes()
    // The last bytes of an answer may be read before its connection is free.
    expect(server.counted.connections).toBeLessThanOrEqual(2)
  })

  it('is never made to a port that no HTTP server has', async () => {
    await using outbound = local()
    await expect(outbound.request(get('http://127.0.0.1:25/'))).rejects.toThrow('Port 25 is one that no HTTP')
  })
})

describe('an answer', () => {
  const text = 'packed '.repeat(1000)

  it.each([
    ['gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstdCompressSync(text)],
  ])('that is encoded as %s is read as it was', async (encoding, bytes) => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    )
    await using outbound = local()
    expect(String(await (await outbound.request(get(server.url))).bytes())).toBe(text)
    const streamed = (await outbound.request(get(server.url))).pieces()
    expect(String(Buffer.concat(await all(streamed)))).toBe(text)
  })

  it('that can not be decoded fails', async () => {
    await using server = await startCounted((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('this is no gzip'),
    )
    await using outbound = local()
    const answer = await outbound.request(get(server.url))
    await expect(answer.bytes()).rejects.toMatchObject({ code: 'Z_DATA_ERROR' })
  })

  it.each(['/plain', '/packed'])(
    'ends where it is too large, read whole or while it comes: %s',
    async (path) => {
      const bytes = Buffer.alloc(50_000, 'x')
      await using server = await startCounted((request, response) => {
        if (request.url === '/plain') return void (response.write(bytes) && response.end())
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes))
      })
      await using outbound = local({ maxResponseBytes: 10_000 })
      const asked = get(server.url + path)
      await expect((await outbound.request(asked)).bytes()).rejects.toBeInstanceOf(OutboundRefused)
      const read = all((await outbound.request(asked)).pieces())
      await expect(read).rejects.toBeInstanceOf(OutboundRefused)
    },
  )

  it('is late by the time of its call when read whole, by that of the policy when read in pieces', async () => {
    await using server = await startCounted((request, response) => {
      if (request.url !== '/silent') drip(response)
    })
    await using outbound = local({ timeoutMs: 900 })
    const late = { name: 'TimeoutError' }
    await expect(outbound.request(get(`${server.url}/silent`, { timeoutMs: 150 }))).rejects.toMatchObject(
      late,
    )
    const whole = await outbound.request(get(server.url, { timeoutMs: 150 }))
    await expect(whole.bytes()).rejects.toMatchObject(late)
    const startedAt = performance.now()
    const streamed = await outbound.request(get(server.url, { timeoutMs: 150 }))
    await expect(all(streamed.pieces())).rejects.toMatchObject(late)
    expect(performance.now() - startedAt).toBeGreaterThan(700)
  })

  it('is late, and unwanted, also while its name is looked up or its address dialled', async () => {
    await using outbound = openOutbound({ allowed: [] }, () => undefined)
    const late = outbound.request(get('http://silent.example/', { timeoutMs: 100 }))
    const startedAt = performance.now()
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError' })
    const controller = new AbortController()
    const unwanted = outbound.request(get('http://silent.example/', { signal: controller.signal }))
    const reason = new Error('nobody waits')
    controller.abort(reason)
    await expect(unwanted).rejects.toBe(reason)
    expect(performance.now() - startedAt).toBePrompt(1000)
  })

  it('ends with the reason of who does not want it any more, and so does its connection', async () => {
    let left = 0
    await using server = await startCounted((request, response) => {
      response.on('close', () => {
        left += 1
      })
      if (request.url !== '/silent') drip(response)
    })
    await using outbound = local()
    const reason = new Error('nobody waits')
    for (const path of ['/silent', '/drip']) {
      const controller = new AbortController()
      const asked = outbound.request(get(server.url + path, { signal: controller.signal }))
      const read = asked.then((answer) => answer.bytes())
      setTimeout(() => controller.abort(reason), 100)
      await expect(read).rejects.toBe(reason)
    }
    await expect(outbound.request(get(server.url, { signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    )
    const discarded = await outbound.request(get(server.url))
    discarded.discard()
    while (left < 3) await pause(10)
  })

  it.each(['identity', 'gzip'])('that nobody reads breaks off in peace: %s', async (encoding) => {
    await using server = await startCounted((request, response) => {
      response
        .writeHead(200, { 'content-encoding': encoding })
        .write(encoding === 'gzip' ? gzipSync(text) : text)
      if (request.url === '/broken') setTimeout(() => response.destroy(), 50)
    })
    await using outbound = local({ timeoutMs: 300 })
    const begun = []
    for (const path of ['/broken', '/late']) {
      await outbound.request(get(server.url + path))
      const pieces = (await outbound.request(get(server.url + path))).pieces()
      await pieces.next()
      begun.push(pieces)
    }
    // What nobody listens to would end the process, which fails the run.
    await pause(500)
    for (const pieces of begun) await expect(all(pieces)).rejects.toThrow('')
  })
})
