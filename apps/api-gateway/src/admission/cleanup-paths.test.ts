import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { sample } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { forEach, useEdge } from '../../test/raw-edge.ts'

const edge = useEdge()

/** What might lead from the outside to the root of a service. */
const prefixes = [
  '',
  '/',
  '//',
  '/.',
  '/..',
  '/%2e',
  '/%2e%2e',
  '/;',
  '/;a=b',
  '/%2f',
  '/%20',
  '/%00',
  '/v2',
  '/v2/',
  '/v2/..',
  '/v2/.',
  '/v2/%2e%2e',
  '/v2/%252e%252e',
  '/v2/..;',
  '/v2;',
  '/v2/..%2f..',
  '/v2%2f..',
  '/v2/events',
  '/v2/workspaces/..',
  '/v2/workspaces/../..',
  '/v2/workspaces/%2e%2e/%2e%2e',
  '/v2/workspaces/w1/events/../../../..',
  '/v2/workspaces/w1/events/%2e%2e/%2e%2e/%2e%2e/%2e%2e',
  '/v2/workspaces/w1/events/..%2f..%2f..%2f..',
  '/v2/workspaces/w1/events/..%5c..%5c..%5c..',
  '/v2/pages/..\\..',
  '/v2/files/%c0%ae%c0%ae/%c0%ae%c0%ae',
  '/events',
  '/%76%32/..',
  'http://events:3004',
  'http://x//',
]
const roots = ['sys', 'SYS', 'Sys', '%73ys', '%73%79%73', 's%79s', 'sys;', 'sys%20', 'sys.', '%2573ys', 'ſys']
const separators = ['/', '//', '/./', '%2f', '\\', '/;/']
const ends = ['cleanup/indices', 'cleanup/executions?dryRun=false', 'Cleanup/Indices/', 'cleanup%2findices']
const spellings = prefixes.flatMap((prefix) =>
  roots.flatMap((root) =>
    separators.flatMap((separator, at) =>
      ends
        .filter((_, index) => separator === '/' || (index + at) % 4 === 0)
        .map((end) => `${prefix}${prefix.endsWith('/') ? '' : '/'}${root}${separator}${end}`),
    ),
  ),
)

describe('the cleanup of events', () => {
  test('is reached from outside by no spelling of its path, whoever asks', { timeout: 120_000 }, async () => {
    expect(new Set(spellings).size).toBeGreaterThanOrEqual(2285)
    const { gateway, upstream, request } = edge()
    const keys = Object.entries(gateway.internalHeaders).map(([name, value]) => `${name}: ${value}\r\n`)
    const before = upstream.seen.length
    await forEach(sample(spellings, 300), async (path) => {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      const asked = request(path, `${keys.join('')}Content-Length: 0\r\n`).replace(/^GET/, 'POST')
      socket.write(Buffer.from(asked))
      const status = Number((await text(socket)).slice(9, 12))
      expect([400, 401, 404], path).toContain(status)
    })
    expect(upstream.seen.slice(before).map(({ url }) => url)).toEqual([])
  })
})
