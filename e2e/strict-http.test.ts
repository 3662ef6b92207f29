import { type Platform, startAllInOne } from '@platform/testing/platform'
import { tryBehind, tryRows, type WireTarget, wireRows } from '@platform/testing/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Canary, startCanary } from './support/canary.ts'
import { isInstalled, type ProxyName, startProxy } from './support/proxies.ts'

const OPEN_PATH = '/v2/workspaces/w/webhooks/x'

/** HAProxy speaks HTTP/2, nginx HTTP/0.9, which has no headers. */
const ofProxies = new Set(['the preface of HTTP/2', 'no version', 'no version, nothing else'])

let canary: Canary
let platform: Platform
beforeAll(async () => {
  canary = await startCanary()
  platform = await startAllInOne({
    SAMPLE_WORKSPACE: 'false',
    WORKSPACES_API_URL: canary.url,
    RUNTIME_API_URL: canary.url,
    EVENTS_API_URL: canary.url,
  })
})
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]()
  await canary?.[Symbol.asyncDispose]()
})

const portOf = (variable: string): number => Number(platform.env[variable])
const arrivals = (path: string): number => canary.arrived.filter((url) => url === path).length

describe('raw requests to each listener', () => {
  test('of the gateway get the answers they may have, and what is refused reaches no service', async () => {
    const to = { port: portOf('PORT'), path: OPEN_PATH, headers: '' }
    const { problems } = await tryRows(wireRows, to, arrivals)
    expect(problems).toEqual({ security: [], strict: [], lenient: [] })
  })

  test.each([
    ['workspaces', 'WORKSPACES_PORT', '/v2/nowhere'],
    ['runtime', 'RUNTIME_PORT', OPEN_PATH],
    ['events', 'EVENTS_PORT', '/v2/nowhere'],
  ])('of %s get the answers they may have', async (_, variable, path) => {
    const key = platform.env.INTERNAL_API_KEY
    const headers = `X-Platform-Internal-Key: ${key}\r\nX-Platform-Client-Ip: 10.0.0.1\r\n`
    // What is refused by its path is refused before its body is read.
    const to: WireTarget = { port: portOf(variable), path, headers, leavesBodies: true }
    const { problems } = await tryRows(wireRows, to)
    expect(problems).toEqual({ security: [], strict: [], lenient: [] })
  })
})

describe('a service that is called past the gateway', () => {
  const identity = {
    'x-platform-user-id': 'root',
    'x-platform-role': 'superAdmin',
    'x-platform-session-id': 'a',
    'x-platform-scope': 'workspaces:read',
    'x-platform-client-ip': '10.0.0.1',
  }
  const keys = ['', 'no', 'null', 'undefined', 'internal-key-of-the-platform-tests-012345678', 'é'.repeat(20)]

  test.each(['WORKSPACES_PORT', 'RUNTIME_PORT', 'EVENTS_PORT'])(
    '(%s) believes nobody without the key',
    async (variable) => {
      const paths = [
        '/v2/workspaces',
        '/v2/workspaces/w/events',
        '/sys/readiness',
        '/sys/cleanup/indices',
        '/metrics',
        '/v2/nowhere',
      ]
      for (const path of paths)
        for (const key of [undefined, ...keys]) {
          const headers =
            key === undefined ? identity : { ...identity, 'x-platform-internal-key': encodeURI(key) }
          const { status } = await fetch(`http://127.0.0.1:${portOf(variable)}${path}`, { headers })
          expect(status, `${path} with ${key}`).toBe(401)
        }
    },
  )
})

describe.each<ProxyName>(['haproxy', 'nginx'])('behind %s', (name) => {
  test.skipIf(!isInstalled(name))('nobody gets the answer of another, and each request has one', async () => {
    await using proxy = await startProxy(name, [`127.0.0.1:${portOf('PORT')}`])
    const to = { port: proxy.port, path: OPEN_PATH, headers: '' }
    const rows = wireRows.filter((row) => !ofProxies.has(row.name))
    expect(await tryBehind(rows, to, canary.arrived)).toEqual([])
  })
})
