import { registry } from '@platform/http'
import { expect, test } from 'vitest'
import { startForwarder, startRawUpstream } from '../../test/forwarder.ts'
import { exposeForwarding } from './forwarding-metrics.ts'

test('retries, who was turned away, WebSockets and instances are shown, and no more after that', async () => {
  await using raw = await startRawUpstream((socket) => void socket.once('data', () => socket.destroy()))
  await using forwarder = await startForwarder(raw.url)
  const { instances } = forwarder
  const shown = exposeForwarding({
    instances,
    shed: { eventLoop: 2, inFlight: 1 },
    openSockets: () => 7,
    openStreams: () => 3,
  })
  await fetch(forwarder.at('x'))
  const text = await registry.metrics()
  expect(text).toMatch(/platform_gateway_retries_total\{upstream="workspaces",outcome="sent"\} 1\n/)
  expect(text).toMatch(/platform_gateway_retries_total\{upstream="events",outcome="over_budget"\} 0\n/)
  expect(text).toMatch(/platform_gateway_shed_total\{reason="event_loop"\} 2\n/)
  expect(text).toMatch(/platform_gateway_websockets 7$/m)
  expect(text).toMatch(/platform_upstream_breaker_open\{upstream="workspaces",origin="http:[^"]+"\} 0\n/)
  await shown[Symbol.asyncDispose]()
  expect(await registry.metrics()).not.toMatch(/platform_gateway_websockets 7/)
})
