import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, test } from 'vitest'
import { type Edge, useEdge } from '../../test/raw-edge.ts'

const edge = useEdge()

const costly: [name: string, bytes: (request: Edge['request']) => string][] = [
  ['100 parameters that repeat', (request) => request(`/v2/me?${'a[]=1&'.repeat(99)}a=1`)],
  ['a path of many slashes', (request) => request(`/v2/${'a/'.repeat(3000)}`)],
  ['a path of many encodings', (request) => request(`/v2/${'%41'.repeat(3000)}`)],
  ['a path of many dots', (request) => request(`/v2/${'.'.repeat(9000)}x`)],
  [
    '90 headers of 150 bytes',
    (request) =>
      request('/v2/me', Array.from({ length: 90 }, (_, at) => `X-${at}: ${'a'.repeat(150)}\r\n`).join('')),
  ],
  ['a cookie of 3,000 cookies', (request) => request('/v2/me', `Cookie: ${'a=b; '.repeat(2500)}\r\n`)],
  [
    'an Authorization of 12 KB',
    () =>
      `GET /v2/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${'e.'.repeat(6000)}\r\n\r\n`,
  ],
  [
    'a Connection of many tokens',
    (request) =>
      request('/v2/pages/x', '').replace('Connection: close', `Connection: close${', a'.repeat(3000)}`),
  ],
  [
    'an X-Forwarded-For of many addresses',
    (request) => request('/v2/me', `X-Forwarded-For: ${'1.1.1.1,'.repeat(1500)}\r\n`),
  ],
  ['an Origin of 12 KB', (request) => request('/v2/me', `Origin: http://${'a.'.repeat(6000)}x\r\n`)],
  [
    'an Accept-Language of many languages',
    (request) => request('/signin', `Accept-Language: ${'en;q=0.1,'.repeat(1300)}\r\n`),
  ],
  ['a User-Agent of 12 KB', (request) => request('/v2/me', `User-Agent: ${'Mozilla (('.repeat(1200)}\r\n`)],
  [
    'JSON of a million brackets',
    () =>
      'POST /v2/login/anonymous HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `Content-Length: 900000\r\nConnection: close\r\n\r\n${'['.repeat(900_000)}`,
  ],
  [
    'a thousand chunks of a byte',
    () =>
      'POST /v2/pages/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n' +
      `${'1\r\na\r\n'.repeat(1000)}0\r\n\r\n`,
  ],
]

describe('no single request', () => {
  test.each(costly)('of %s keeps the process busy', async (_, bytes) => {
    const { gateway, exchange, request } = edge()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const sent = bytes(request)
    delay.enable()
    const answers = await Promise.all(Array.from({ length: 3 }, () => exchange(sent)))
    delay.disable()
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 [2-4]\d\d /)
    // The client of the test shares the loop, and other work the machine: the best half counts.
    expect(delay.percentile(50) / 1e6).toBeLessThan(100)
    expect((await fetch(`${gateway.url}/`)).status).toBe(200)
  })
})
