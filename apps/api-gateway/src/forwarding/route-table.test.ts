import * as contracts from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { addressOf, endpointsOf } from '../../test/operations.ts'
import { compileRoutes, routeTable } from './route-table.ts'

const match = compileRoutes(routeTable, 60_000)

describe('the table', () => {
  test.each([
    ['/v2/workspaces', '/v2/workspaces{/*rest}', 'workspaces'],
    ['/v2/workspaces/', '/v2/workspaces{/*rest}', 'workspaces'],
    ['/v2/workspaces/w1', '/v2/workspaces{/*rest}', 'workspaces'],
    ['/v2/workspaces/w1/automations/a', '/v2/workspaces{/*rest}', 'workspaces'],
    ['/v2/workspaces/w1/webhooks/github/push', '/v2/workspaces/:workspaceId/webhooks/*path', 'runtime'],
    ['/v2/workspaces/w1/webhooks', '/v2/workspaces{/*rest}', 'workspaces'],
    ['/v2/workspaces/w1/test/hello', '/v2/workspaces/:workspaceId/test/*automationSlug', 'runtime'],
    ['/v2/workspaces/w1/runs', '/v2/workspaces/:workspaceId/runs{/*rest}', 'runtime'],
    ['/v2/workspaces/w1/runs/r1', '/v2/workspaces/:workspaceId/runs{/*rest}', 'runtime'],
    ['/v2/workspaces/w1/events', '/v2/workspaces/:workspaceId/events{/*rest}', 'events'],
    ['/v2/workspaces/w1/events/stream', '/v2/workspaces/:workspaceId/events/stream', 'events'],
    ['/socket.io/', '/socket.io', 'events'],
    ['/v2/workspaces/w1/search', '/v2/workspaces/:workspaceId/search', 'events'],
    ['/v2/workspaces/w1/search/deep', '/v2/workspaces{/*rest}', 'workspaces'],
    ['/v2/workspaces/w1/security/apiKeys', '/v2/workspaces/:workspaceId/security/*rest', 'workspaces'],
    ['/v2/workspaces/w1/import', '/v2/workspaces/:workspaceId/import', 'workspaces'],
    ['/v2/workspaces/import', '/v2/workspaces/import', 'workspaces'],
    ['/v2/files/w1/f', '/v2/files/*rest', 'workspaces'],
    ['/v2/pages', '/v2/pages{/*rest}', 'workspaces'],
    ['/v2/apps/a/versions', '/v2/apps{/*rest}', 'workspaces'],
  ])('%s belongs to %s', (path, line, to) => {
    expect(match(path)).toMatchObject({ path: line, to })
  })

  test.each([
    '/',
    '',
    '/v2',
    '/v2/',
    '/v2/me',
    '/v2/workspacesx',
    '/v2/workspace',
    '/v2/files',
    '/v2/readiness',
    '/v1/workspaces',
    '/oidc/jwks',
    '/x/workspaces',
  ])('"%s" is answered by the gateway itself', (path) => {
    expect(match(path)).toBeUndefined()
  })

  test('decides as its lines do when they are tried one after the other', () => {
    const slow = (path: string) =>
      routeTable.find((line) => {
        const source = line.path.replace(/\{\/\*\w+\}$/, '(?:/.*)?').replace(/\*\w+$/, '.+')
        return new RegExp(`^${source.replace(/:\w+/g, '[^/]+')}/?$`).test(path)
      })?.path
    const words = ['', 'v2', 'workspaces', 'w1', 'import', 'events', 'search', 'files', 'pages', 'runs', 'x']
    let compared = 0
    for (const a of words)
      for (const b of words)
        for (const c of words)
          for (const d of words) {
            const path = `/v2/${[a, b, c, d].join('/')}`
            expect(match(path)?.path, path).toBe(slow(path))
            compared += 1
          }
    expect(compared).toBe(words.length ** 4)
  })
})

test('a line that says nothing takes 1 MB, the gateway’s time and no upgrade', () => {
  expect(match('/v2/pages')).toMatchObject({
    bodyLimitBytes: 1_000_000,
    timeoutMs: 60_000,
    receiver: false,
    upgrade: undefined,
  })
  expect(match('/v2/workspaces/w1/files/a')?.bodyLimitBytes).toBe(10_000_000)
  expect(match('/v2/workspaces/w1/import')?.bodyLimitBytes).toBe(100_000_000)
  expect(match('/v2/workspaces/w1/events')?.upgrade).toBe('websocket')
})

test('every operation of a service reaches it, with as long a body as its contract takes', () => {
  const forwarded = endpointsOf(contracts).filter(
    ({ service, path }) => service !== 'api-gateway' && path.startsWith('/v2/'),
  )
  expect(forwarded.length).toBeGreaterThan(10)
  for (const { id, service, path, bodyLimitBytes = contracts.limits.bodyBytes } of forwarded) {
    const line = match(addressOf(path))
    expect([line?.to, (line?.bodyLimitBytes ?? 0) >= bodyLimitBytes], id).toEqual([service, true])
  }
})

test('a line may have a time of its own', () => {
  const own = compileRoutes(
    [{ path: '/v2/slow', to: 'runtime', access: 'optional', timeoutSeconds: 5 }],
    60_000,
  )
  expect(own('/v2/slow')?.timeoutMs).toBe(5000)
})
