import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { runtimeJwksUpdated, ServiceReport } from '@platform/contracts'
import { buildRecord, insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startRuntime, type TestRuntime } from '../test/testing.ts'

let gateway: Server
let runtime: TestRuntime
let asked = 0

beforeAll(async () => {
  gateway = createServer((request, response) => {
    if (request.url === '/oidc/jwks') asked += 1
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: [{ kty: 'RSA', kid: 'k1', alg: 'RS256', use: 'sig' }] }))
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  runtime = await startRuntime({
    env: { INTERNAL_API_URL: `${url}/v2`, FUNCTIONS_URL: `${url}/functions`, READINESS_CACHE_TTL_MS: '0' },
  })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  gateway.close()
})

const readReport = async () => {
  const response = await fetch(`${runtime.url}/sys/readiness`, {
    headers: runtime.headersOf({ kind: 'internal' }),
  })
  return ServiceReport.parse(await response.json())
}

describe('the readiness of the runtime', () => {
  test('names every module and what really runs', async () => {
    expect(await readReport()).toEqual({
      status: 'ready',
      modulesReady: [
        { module: 'cache', driver: 'memory' },
        { module: 'broker', driver: 'postgres' },
        { module: 'permissions', driver: 'postgres' },
        { module: 'collections', driver: 'postgres' },
        { module: 'automations', driver: 'postgres' },
        { module: 'gateway', driver: 'http' },
        { module: 'functions', driver: 'http' },
      ],
    })
  })
})

describe('the signing keys of the platform', () => {
  test('are read again when they change', async () => {
    const before = asked
    const payload = { created: ['k2'], deleted: [] }
    await runtime.database.many(
      insertEvents([buildRecord({ type: runtimeJwksUpdated.type, payload, source: {} })]),
    )
    await vi.waitFor(() => expect(asked).toBeGreaterThan(before), { timeout: 3000, interval: 20 })
  })
})

describe('a neighbour that does not answer', () => {
  test('is named with the reason', async () => {
    gateway.closeAllConnections()
    await new Promise((resolve) => gateway.close(resolve))
    const report = await readReport()
    expect(report.status).toBe('error')
    expect(report.errors?.map(({ module }) => module)).toEqual(['gateway', 'functions'])
  })
})
