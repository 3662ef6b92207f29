import { sample } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { forEach, useEdge } from '../../test/raw-edge.ts'

const edge = useEdge()

const dots = [
  '..',
  '.',
  '%2e%2e',
  '%2E%2E',
  '.%2e',
  '%2e.',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '%uff0e%uff0e',
  '..%00',
  '...',
  '..;',
  '..%3b',
  '.%00.',
  '..%20',
  '..%09',
  '%2e%2e%2f',
]
const slashes = [
  '/',
  '//',
  '%2f',
  '%2F',
  '\\',
  '%5c',
  '%5C',
  '/./',
  '/%2e/',
  '%252f',
  '%255c',
  '%c0%af',
  '%e0%80%af',
  ';/',
  '/;',
  '/;a=b/',
  '%00/',
  '/%20/',
]
const places = ['/v2/pages', '/v2/workspaces/w1', '/v2/workspaces/w1/webhooks', '/v2', '/v2/files/x']
const targets = [
  'sys/cleanup/indices',
  'sys/readiness',
  'v1/me',
  'metrics',
  'workspaces',
  'workspaces/w2/security/members',
  'me',
]
/** Every way to leave a place for another one. */
const spellings = places.flatMap((place) =>
  slashes.flatMap((first) =>
    dots.flatMap((dot, at) =>
      slashes
        .filter((_, index) => (index + at) % 6 === 0)
        .map((second, index) => `${place}${first}${dot}${second}${targets[(index + at) % targets.length]}`),
    ),
  ),
)

const asked = sample(spellings, 300)

describe('paths that mean different things to different servers', () => {
  test('never reach another route than the one they literally name', { timeout: 60_000 }, async () => {
    expect(new Set(spellings).size).toBeGreaterThanOrEqual(2000)
    const statuses = new Map<number, number>()
    const { upstream, exchange, request } = edge()
    const before = upstream.seen.length
    await forEach(asked, async (path) => {
      const status = Number((await exchange(request(path))).slice(9, 12))
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(status, path).toBeLessThan(500)
    })
    const reached = upstream.seen.slice(before).map(({ url }) => url)
    // What arrived has one meaning only, and begins with what the client wrote.
    expect(reached.filter((url) => /%2f|%5c|%2e|%00|%25|;|\\|\/\/|\/\.{1,2}(\/|$)/i.test(url))).toEqual([])
    expect(reached.filter((url) => !url.startsWith('/v2/'))).toEqual([])
    expect(statuses.get(400) ?? 0).toBeGreaterThan(asked.length * 0.8)
  })

  test('in a query or a header stay text', async () => {
    const { upstream, exchange, request } = edge()
    for (const dot of dots)
      for (const where of [`/v2/pages/x?p=/${dot}/sys`, '/v2/pages/x']) {
        const answer = await exchange(request(where, `X-Path: /${dot}/sys\r\n`))
        if (answer.startsWith('HTTP/1.1 200'))
          expect(upstream.seen.at(-1)?.url.split('?')[0]).toBe('/v2/pages/x')
        else expect(answer, where).toMatch(/^HTTP\/1\.1 400/)
      }
  })
})
