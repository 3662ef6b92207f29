import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ownCertificate } from '@platform/testing/certificates'
import { describe, expect, it } from 'vitest'
import { resolver, startCounted, startProxy } from '../test/testing.ts'
import { OutboundRefused } from './callable.ts'
import { openOutbound } from './open-outbound.ts'
import { proxyFinder } from './proxies.ts'

const OUTSIDE = '93.184.216.34'
const outside = () => resolver(() => [OUTSIDE])

/** A server that nobody vouches for; it says what it got. */
async function startEncrypted() {
  const server = createServer(ownCertificate(), (request, response) =>
    response.end(`${request.headers.host} ${request.headers.authorization}`),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port, [Symbol.dispose]: close }
}

const through = (proxy: string, more: Partial<Parameters<typeof proxyFinder>[0]> = {}) => ({
  http: proxy,
  https: proxy,
  except: [],
  resolvesNames: false,
  ...more,
})

const withPassword = (url: string) => url.replace('://', '://ada:p%40ss@')

describe('a call through a proxy', () => {
  it('is a tunnel to the address that was checked where it is encrypted: the proxy sees nothing of it', async () => {
    using server = await startEncrypted()
    await using proxy = await startProxy(server.port)
    const proxies = through(withPassword(proxy.url))
    const policy = { allowed: [], acceptsAnyCertificate: true, proxies }
    await using outbound = openOutbound(policy, outside().lookup)
    const headers = { authorization: 'Bearer secret-of-the-call' }
    const answer = await outbound.fetch(`https://api.example:${server.port}/path`, { headers })
    expect(await answer.text()).toBe(`api.example:${server.port} Bearer secret-of-the-call`)
    const authority = `${OUTSIDE}:${server.port}`
    expect(proxy.asked).toEqual([
      {
        method: 'CONNECT',
        url: authority,
        headers: expect.objectContaining({
          host: authority,
          'proxy-authorization': `Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
        }),
      },
    ])
    expect(JSON.stringify(proxy.asked) + proxy.passed()).not.toContain('secret-of-the-call')
    expect(proxy.passed().length).toBeGreaterThan(100)
  })

  it('is forwarded as a whole where it is not encrypted, once its name was checked', async () => {
    await using server = await startCounted((request, response) => {
      request.setEncoding('utf8').once('data', (text) => response.end(`${request.headers.host} ${text}`))
    })
    await using proxy = await startProxy(server.port)
    const { lookup, asked } = outside()
    await using outbound = openOutbound({ allowed: [], proxies: through(withPassword(proxy.url)) }, lookup)
    const answer = await outbound.fetch('http://api.example/path?a=1', { method: 'POST', body: 'sent' })
    expect(await answer.text()).toBe('api.example sent')
    expect(proxy.asked).toMatchObject([{ method: 'POST', url: 'http://api.example/path?a=1' }])
    expect(proxy.asked[0]?.headers).toMatchObject({
      host: 'api.example',
      'proxy-authorization': expect.stringMatching(/^Basic /),
    })
    expect(asked.questions).toBe(1)
  })

  it.each(['http', 'https'])('to the inside is refused before the proxy is asked, %s', async (scheme) => {
    await using proxy = await startProxy(1)
    const inside = resolver(() => ['10.0.0.1', '169.254.169.254'])
    for (const resolvesNames of [false, true]) {
      const policy = {
        allowed: [],
        forbidden: ['evil.example'],
        proxies: through(proxy.url, { resolvesNames }),
      }
      await using outbound = openOutbound(policy, inside.lookup)
      const hosts = ['10.0.0.1', '[::ffff:10.0.0.1]', '169.254.169.254', '0x0a000001', 'a.evil.example']
      for (const host of [...hosts, ...(resolvesNames ? [] : ['inside.example'])])
        await expect(outbound.fetch(`${scheme}://${host}/`)).rejects.toBeInstanceOf(OutboundRefused)
    }
    expect(proxy.asked).toEqual([])
  })

  it('leaves names to a proxy that resolves them', async () => {
    using server = await startEncrypted()
    await using proxy = await startProxy(server.port)
    const { lookup, asked } = resolver(() => [])
    const proxies = through(proxy.url, { resolvesNames: true })
    await using outbound = openOutbound({ allowed: [], acceptsAnyCertificate: true, proxies }, lookup)
    await (await outbound.fetch(`https://api.example:${server.port}/`)).text()
    expect(proxy.asked).toMatchObject([{ method: 'CONNECT', url: `api.example:${server.port}` }])
    expect(asked.questions).toBe(0)
  })

  it('is checked again where it is redirected', async () => {
    await using server = await startCounted((_, response) =>
      response.writeHead(302, { location: 'http://10.0.0.1/latest' }).end(),
    )
    await using proxy = await startProxy(server.port)
    await using outbound = openOutbound({ allowed: [], proxies: through(proxy.url) }, outside().lookup)
    await expect(outbound.fetch('http://api.example/')).rejects.toBeInstanceOf(OutboundRefused)
    expect(proxy.asked).toHaveLength(1)
  })

  it('fails where the proxy does not let it through, and where there is none', async () => {
    await using proxy = await startProxy(1, { status: 407 })
    await using outbound = openOutbound({ allowed: [], proxies: through(proxy.url) }, outside().lookup)
    const failed = await outbound.fetch('https://api.example/').catch((error: unknown) => error)
    expect(String((failed as Error).cause)).toMatch(/The proxy 127\.0\.0\.1:\d+ answers 407/)
    await using nowhere = openOutbound(
      { allowed: [], proxies: through('http://127.0.0.1:1') },
      outside().lookup,
    )
    await expect(nowhere.fetch('https://api.example/')).rejects.toThrow('fetch failed')
    await expect(nowhere.fetch('http://api.example/')).rejects.toThrow('fetch failed')
  })

  it('is none where an exception or this machine is called', async () => {
    await using server = await startCounted()
    await using proxy = await startProxy(1)
    const proxies = through(proxy.url, { except: ['10.0.0.0/8'] })
    await using outbound = openOutbound({ allowed: ['127.0.0.1'], proxies })
    expect(await (await outbound.fetch(server.url)).text()).toBe('inside')
    expect(proxy.asked).toEqual([])
  })
})

describe('which calls go through a proxy', () => {
  const usesProxy = (address: string, except: string[]) => {
    const { protocol, hostname, port } = new URL(address)
    return proxyFinder(through('http://p:1', { except }))({ protocol, hostname, port }) !== undefined
  }

  it.each([
    ['http://api.example/', [], true],
    ['http://localhost/', [], false],
    ['http://127.0.0.2:80/', [], false],
    ['http://[::1]/', [], false],
    ['http://api.example/', ['*'], false],
    ['http://api.example/', ['example'], false],
    ['http://API.example./', ['.example'], false],
    ['http://api.example/', ['*.example'], false],
    ['http://notexample/', ['example'], true],
    ['http://api.example/', ['pi.example'], true],
    ['http://api.example:8080/', ['api.example:8080'], false],
    ['https://api.example/', ['api.example:443'], false],
    ['https://api.example/', ['api.example:80'], true],
    ['http://10.1.2.3/', ['10.0.0.0/8'], false],
    ['http://11.1.2.3/', ['10.0.0.0/8'], true],
    ['http://10.1.2.3:90/', ['10.1.2.3:90'], false],
    ['http://[fd00::1]/', ['fd00::/8'], false],
    ['http://[fd00::1]:80/', ['[fd00::1]:80'], false],
    ['http://[fd00::1]/', ['fd00::1'], false],
    ['http://api.example/', ['10.0.0.0/8'], true],
  ])('%s without %j: %s', (address, except, expected) => {
    expect(usesProxy(address, except)).toBe(expected)
  })

  it('is said of each scheme by itself', () => {
    const find = proxyFinder({ https: 'http://p:1', except: [], resolvesNames: false })
    const target = { hostname: 'api.example', port: '' }
    expect([find({ protocol: 'http:', ...target }), find({ protocol: 'https:', ...target })?.host]).toEqual([
      undefined,
      'p:1',
    ])
  })

  it('never has the platform itself go through one', () => {
    const find = proxyFinder(through('http://p:1'), 'http://api.example:3001')
    const target = { protocol: 'http:', hostname: 'api.example' }
    expect([find({ ...target, port: '3001' }), find({ ...target, port: '80' })?.host]).toEqual([
      undefined,
      'p:1',
    ])
  })

  it('can’t be said with what is no proxy or exception', () => {
    expect(() => proxyFinder(through('socks5://p:1'))).toThrow('A proxy must be an address')
    expect(() => proxyFinder(through('http://p:1', { except: ['a b'] }))).toThrow('"a b" is no exception')
  })
})

it('speaks HTTP/2 only where that is allowed', async () => {
  const server = createSecureServer({ ...ownCertificate(), allowHTTP1: true }, (request, response) =>
    response.end(request.httpVersion),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    for (const [allowsHttp2, version] of [
      [false, '1.1'],
      [true, '2.0'],
    ] as const) {
      const policy = { allowed: ['127.0.0.1'], acceptsAnyCertificate: true, allowsHttp2 }
      await using outbound = openOutbound(policy)
      expect(await (await outbound.fetch(url)).text()).toBe(version)
    }
  } finally {
    server.close()
  }
})
