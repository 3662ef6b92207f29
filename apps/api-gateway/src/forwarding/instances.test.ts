import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openInstances } from './instances.ts'
import { compileRoutes, routeTable } from './route-table.ts'

async function origins(count: number) {
  const servers = Array.from({ length: count }, () => createServer((_, response) => void response.end()))
  for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    list: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    [Symbol.dispose]: () => servers.forEach((server) => void server.close()),
  }
}

describe('the instance of a session', () => {
  test('is the one its id names at every gateway, while it takes requests; else any', async () => {
    using events = await origins(3)
    const upstreams = { workspaces: [], runtime: [], events: events.list }
    await using one = await openInstances(upstreams)
    await using another = await openInstances({ ...upstreams, events: events.list.toReversed() })
    const route = compileRoutes(routeTable, 1000)('/socket.io/')
    if (route === undefined) throw new Error('The table has no line for sockets.')
    for (const { instance } of one.states()) {
      const search = `?EIO=4&sid=${instance.tag}.abc&transport=polling`
      for (const gateway of [one, another])
        expect(gateway.choose(route, search, undefined)?.origin).toBe(instance.origin)
      expect(one.choose(route, search, instance)?.origin).not.toBe(instance.origin)
      for (let failures = 0; failures < 20; failures += 1) instance.breaker.unreachable()
      expect(one.choose(route, search, undefined)?.origin).not.toBe(instance.origin)
      break
    }
    expect(one.choose(route, '?EIO=4&sid=000000000000.abc', undefined)).toBeDefined()
    expect(one.choose(route, '?EIO=4&transport=polling', undefined)).toBeDefined()
  })
})
