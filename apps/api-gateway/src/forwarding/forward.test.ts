import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { answerDigest } from '../../test/answer-digest.ts'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'

describe.each([
  ['HTTP', false],
  ['a link', true],
])('over %s', (_, hasLinks) => {
  let service: Upstream
  let gateway: TestGateway
  let ada: { authorization: string }
  /** What the service behind the gateway does with paths that have a behaviour. */
  const gone = vi.fn()
  let flooded = 0

  beforeAll(async () => {
    service = await startUpstream(
      (request, response) => {
        const path = (request.url ?? '').split('?')[0] ?? ''
        const behaviour = path.split('/').at(-1)
        if (behaviour === 'digest') return answerDigest(request, response)
        if (behaviour === 'echo') return void request.pipe(response)
        if (behaviour === 'slow') return void response.on('close', gone)
        if (behaviour === 'endless') {
          response.writeHead(200)
          const timer = setInterval(() => response.write('tick\n'), 20)
          return void response.on('close', () => {
            clearInterval(timer)
            gone()
          })
        }
        if (behaviour === 'big')
          return void response.setHeader('content-length', 10_000_000).end(Buffer.alloc(10_000_000, 'x'))
        if (behaviour === 'flood') {
          const chunk = Buffer.alloc(65_536)
          const pour = () => {
            while (!response.destroyed && response.write(chunk)) flooded += chunk.length
            flooded += chunk.length
          }
          response.on('drain', pour)
          return pour()
        }
        if (behaviour === 'truncated') {
          response.writeHead(200, { 'content-length': '100' })
          response.write('half')
          return void setTimeout(() => response.destroy(), 20)
        }
        if (behaviour === 'early') return void response.writeHead(403).end('no thanks')
        if (behaviour === 'hints') {
          response.writeEarlyHints({ link: '</style.css>; rel=preload' })
          return void response.end('after the hints')
        }
        if (behaviour === 'hop-by-hop') {
          response.writeHead(
            207,
            [
              ['x-own', 'kept'],
              ['connection', 'keep-alive, x-hop'],
              ['x-hop', 'gone'],
              ['proxy-authenticate', 'gone'],
              ['x-platform-internal-key', 'gone'],
              ['x-correlation-id', 'forged-0123456789'],
              ['set-cookie', 'a=1'],
              ['set-cookie', 'b=2'],
            ].flat(),
          )
          return void response.end('{}')
        }
        response.end('{}')
      },
      { hasLinks },
    )
    gateway = await startGateway({
      services: service.url,
      env: { GATEWAY_TIMEOUT: '2', GATEWAY_LINKS: String(hasLinks) },
    })
    ada = (await gateway.signIn({ userId: 'ada' })).headers
    await vi.waitFor(async () => {
      await fetch(at('x'), { headers: ada })
      expect(lastSeen()?.isLinked).toBe(hasLinks)
    })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
  })

  const at = (behaviour: string) => `${gateway.url}/v2/workspaces/w1/${behaviour}`
  const lastSeen = () => service.seen.at(-1)

  describe('forwarding', () => {
    test('passes method, canonical path, query and body on, and the answer back', async () => {
      const response = await fetch(`${at('echo')}?a=1&a=2&%2f`, {
        method: 'PUT',
        headers: ada,
        body: 'ünïcode',
      })
      expect([response.status, await response.text()]).toEqual([200, 'ünïcode'])
      expect(lastSeen()).toMatchObject({ method: 'PUT', url: '/v2/workspaces/w1/echo?a=1&a=2&%2f' })
    })

    test('tells the service who calls, from where, until when, and proves that it is the gateway', async () => {
      const response = await fetch(at('x'), { headers: { ...ada, 'x-correlation-id': 'my-correlation' } })
      expect(response.headers.get('x-correlation-id')).toBe('my-correlation')
      const headers = lastSeen()?.headers ?? {}
      expect(headers).toMatchObject({
        'x-platform-user-id': 'ada',
        'x-platform-session-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-platform-client-id': 'local-client-id',
        'x-platform-client-ip': '127.0.0.1',
        'x-platform-internal-key': expect.any(String),
        'x-correlation-id': 'my-correlation',
      })
      const deadline = Number(headers['x-platform-request-deadline'])
      expect(deadline - Date.now()).toBeGreaterThan(0)
      expect(deadline - Date.now()).toBeLessThanOrEqual(2000)
      expect(headers).not.toHaveProperty('authorization')
    })

    test('streams both ways: the answer begins before the request has ended', async () => {
      const sending = httpRequest(at('echo'), { method: 'POST', headers: ada })
      sending.write('one')
      const [response] = (await once(sending, 'response')) as [IncomingMessage]
      const [first] = (await once(response, 'data')) as [Buffer]
      sending.end('two')
      const rest = await Readable.from(response).toArray()
      expect(first.toString() + Buffer.concat(rest as Buffer[]).toString()).toBe('onetwo')
    })

    test('passes a body of 10 MB back without holding it', async () => {
      const bytes = await (await fetch(at('big'), { headers: ada })).arrayBuffer()
      expect(bytes.byteLength).toBe(10_000_000)
    })

    test('does not read faster from a service than the client reads', async () => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').pause()
      socket.write(
        `GET /v2/workspaces/w1/flood HTTP/1.1\r\nhost: x\r\nauthorization: ${ada.authorization}\r\n\r\n`,
      )
      // Whatever the buffers of two connections take; without backpressure it would never stop.
      let before = -1
      const stopped = () => {
        const [now, last] = [flooded, before]
        before = now
        expect(now).toBeGreaterThan(0)
        expect(now).toBe(last)
      }
      await vi.waitFor(stopped, { timeout: 10_000, interval: 200 })
      expect(flooded).toBeLessThan(50_000_000)
      socket.destroy()
    })

    test('answers HEAD with the length and no body, and keeps the connection to the service', async () => {
      const response = await fetch(at('big'), { method: 'HEAD', headers: ada })
      expect([response.status, response.headers.get('content-length')]).toEqual([200, '10000000'])
      expect(await response.text()).toBe('')
    })

    test('keeps the status, repeated headers and unknown names, drops those of the connection behind', async () => {
      const response = await fetch(at('hop-by-hop'), { headers: ada })
      expect(response.status).toBe(207)
      expect(response.headers.get('x-own')).toBe('kept')
      expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
      for (const name of ['x-hop', 'proxy-authenticate', 'x-platform-internal-key']) {
        expect(response.headers.get(name), name).toBeNull()
      }
      expect(response.headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{32}$/)
    })

    test('passes over early hints', async () => {
      expect(await (await fetch(at('hints'), { headers: ada })).text()).toBe('after the hints')
    })

    test('drops the hop-by-hop headers and the trailers of a client', async () => {
      const agent = new Agent()
      const sending = httpRequest(at('digest'), {
        method: 'POST',
        agent,
        headers: {
          ...ada,
          te: 'trailers',
          trailer: 'x-platform-user-id',
          connection: 'x-mine',
          'x-mine': 'gone',
          'proxy-authorization': 'gone',
        },
      })
      sending.write('body')
      sending.addTrailers({ 'x-platform-user-id': 'root' })
      sending.end()
      await once(sending, 'response')
      const names = (lastSeen()?.raw ?? [])
        .filter((_, index) => index % 2 === 0)
        .map((name) => name.toLowerCase())
      for (const name of ['te', 'trailer', 'x-mine', 'proxy-authorization']) expect(names).not.toContain(name)
      expect(lastSeen()?.headers['x-platform-user-id']).toBe('ada')
      agent.destroy()
    })

    test('needs a credential where the table says so', async () => {
      const response = await fetch(at('x'))
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ error: 'AuthenticationError' })
    })

    test('refuses a declared body over the limit before it is sent, and a chunked one while it streams', async () => {
      const before = service.seen.length
      const declared = await fetch(at('digest'), {
        method: 'POST',
        headers: ada,
        body: randomBytes(1_000_001),
      })
      expect([declared.status, ((await declared.json()) as { error: string }).error]).toEqual([
        413,
        'PayloadTooLarge',
      ])
      expect(service.seen.length).toBe(before)

      const chunked = httpRequest(at('digest'), { method: 'POST', headers: ada })
      chunked.on('error', () => undefined)
      const [response] = (await Promise.all([
        once(chunked, 'response'),
        new Promise<void>((resolve) => {
          for (let count = 0; count < 20; count += 1) chunked.write(Buffer.alloc(100_000))
          chunked.end(resolve)
        }),
      ]).then(([[first]]) => [first])) as [IncomingMessage]
      expect(response.statusCode).toBe(413)
      response.resume()
    })

    test('does nothing of what comes behind an upload that was answered before its end', async () => {
      const eve = (await gateway.signIn({ userId: 'eve' })).headers
      const head = `Host: x\r\nAuthorization: ${eve.authorization}\r\n`
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.write(`POST /v2/workspaces/w1/early HTTP/1.1\r\n${head}Content-Length: 300000\r\n\r\na`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 403 /)
      const answeredAt = performance.now()
      socket.write(`${'a'.repeat(299_999)}DELETE /v2/user/sessions/current HTTP/1.1\r\n${head}\r\n`)
      await once(socket.resume(), 'close')
      // The upload was read to its end, so that the client could read its answer.
      expect(performance.now() - answeredAt).toBePrompt(800)
      // Whatever the gateway had begun before is done when it has ended another session.
      const { headers } = await gateway.signIn({ userId: 'mallory' })
      await fetch(`${gateway.url}/v2/user/sessions/current`, { method: 'DELETE', headers })
      expect((await fetch(`${gateway.url}/v2/me`, { headers: eve })).status).toBe(200)
    })

    test('takes uploads of 10 MB where files are sent', async () => {
      const body = randomBytes(9_900_000)
      const response = await fetch(`${gateway.url}/v2/workspaces/w1/files/digest`, {
        method: 'POST',
        headers: ada,
        body,
      })
      expect(await response.json()).toEqual({
        size: body.length,
        sha256: createHash('sha256').update(body).digest('hex'),
      })
    })
  })

  describe('a service that does not do its part', () => {
    test('that is too slow is 504', async () => {
      const response = await fetch(at('slow'), { headers: ada })
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
        504,
        'GatewayTimeout',
      ])
    })

    test('that is down is 503 with Retry-After, at once', async () => {
      await using alone = await startGateway({ databaseUrl: gateway.databaseUrl })
      const startedAt = performance.now()
      const response = await fetch(`${alone.url}/v2/workspaces`, { headers: ada })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await response.json()).toMatchObject({ error: 'ServiceUnavailable' })
      expect(performance.now() - startedAt).toBePrompt(3000)
    })

    test('that breaks off is not taken for a whole answer', async () => {
      const response = await fetch(at('truncated'), { headers: ada })
      await expect(response.text()).rejects.toThrow()
    })

    test('hears that the client is gone, before and during its answer', async () => {
      for (const behaviour of ['slow', 'endless']) {
        gone.mockClear()
        const before = service.seen.length
        const sending = httpRequest(at(behaviour), { headers: ada })
        sending.on('error', () => undefined)
        sending.end()
        await vi.waitFor(() => expect(service.seen.length).toBe(before + 1))
        sending.destroy()
        await vi.waitFor(() => expect(gone).toHaveBeenCalled())
      }
    })

    test('costs nobody a request when another instance works', async () => {
      const dead = 'http://127.0.0.1:9'
      await using pair = await startGateway({
        databaseUrl: gateway.databaseUrl,
        env: { WORKSPACES_API_URL: `${dead},${service.url}` },
      })
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          fetch(`${pair.url}/v2/workspaces`, { method: 'POST', headers: ada, body: '{}' }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    })

    test('that closes a connection under a safe request is asked again, under any other it is not', async () => {
      let connections = 0
      const rude = createTcpServer((socket) => {
        connections += 1
        socket.once('data', () => socket.destroy())
        socket.on('error', () => undefined)
      })
      rude.listen(0, '127.0.0.1')
      await once(rude, 'listening')
      const address = rude.address()
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
      await using fronted = await startGateway({ databaseUrl: gateway.databaseUrl, services: url })
      const statusOf = async (method: string) =>
        (await fetch(`${fronted.url}/v2/workspaces`, { method, headers: ada })).status
      expect([await statusOf('GET'), connections]).toEqual([503, 2])
      expect([await statusOf('POST'), connections]).toEqual([503, 3])
      rude.close()
    })
  })

  describe('a receiver of calls from elsewhere', () => {
    const hook = () => `${gateway.url}/v2/workspaces/w1/webhooks/github`

    test('gets the sender’s own authorization and signature headers, and nobody is signed in', async () => {
      const response = await fetch(hook(), {
        method: 'POST',
        headers: {
          authorization: 'Bearer ghp_not_ours',
          'x-hub-signature-256': 'sha256=abc',
          cookie: 'access-token=x',
        },
        body: '{}',
      })
      expect(response.status).toBe(200)
      expect(lastSeen()?.headers).toMatchObject({
        authorization: 'Bearer ghp_not_ours',
        'x-hub-signature-256': 'sha256=abc',
      })
      expect(lastSeen()?.headers).not.toHaveProperty('x-platform-user-id')
      expect(lastSeen()?.headers).not.toHaveProperty('cookie')
    })

    test('gets another scheme and another issuer’s JWT as they are', async () => {
      const encoded = (text: string) => Buffer.from(text).toString('base64url')
      const foreign = `${encoded('{"alg":"RS256"}')}.${encoded('{"iss":"https://accounts.example"}')}.c2ln`
      for (const authorization of ['Basic dTpw', `Bearer ${foreign}`]) {
        expect((await fetch(hook(), { headers: { authorization } })).status).toBe(200)
        expect(lastSeen()?.headers.authorization).toBe(authorization)
      }
    })

    test('never gets a credential of ours', async () => {
      expect((await fetch(hook(), { headers: ada })).status).toBe(200)
      expect(lastSeen()?.headers['x-platform-user-id']).toBe('ada')
      expect(lastSeen()?.headers).not.toHaveProperty('authorization')
    })

    test('is not reached with a bad credential of ours', async () => {
      const before = service.seen.length
      const forged = `${ada.authorization.slice(0, -3)}AAA`
      for (const authorization of [forged, 'Bearer at:nonsense']) {
        expect((await fetch(hook(), { headers: { authorization } })).status).toBe(401)
      }
      expect((await fetch(hook(), { headers: { 'x-platform-api-key': 'iak_acme_x' } })).status).toBe(401)
      expect(service.seen.length).toBe(before)
    })
  })
})
