import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getServiceReadiness } from '@platform/contracts'
import { sql } from '@platform/database'
import { expect, it } from 'vitest'
import { startWorkspaces } from '../test/testing.ts'

async function startGateway(): Promise<{ url: string; server: Server }> {
  const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

it('the readiness of the service names its four modules and leaves no probe behind', async () => {
  const gateway = await startGateway()
  await using service = await startWorkspaces({ INTERNAL_API_URL: `${gateway.url}/v2` })
  expect(await service.internal(getServiceReadiness)).toEqual({
    status: 'ready',
    modulesReady: [
      { module: 'broker', driver: 'postgres' },
      { module: 'permissions', driver: 'postgres' },
      { module: 'automations', driver: 'postgres' },
      { module: 'gateway', driver: 'http' },
    ],
  })
  expect(await service.database.many(sql`select 1 from workspaces.probes`)).toEqual([])
  gateway.server.close()
})

it('the readiness of the service says so when the gateway is not there', async () => {
  const gateway = await startGateway()
  gateway.server.close()
  await using service = await startWorkspaces({ INTERNAL_API_URL: `${gateway.url}/v2` })
  const report = await service.internal(getServiceReadiness)
  expect(report).toMatchObject({
    status: 'error',
    errors: [{ error: 'ServiceUnavailable', module: 'gateway', driver: 'http' }],
  })
})
