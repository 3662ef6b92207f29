import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callFunction } from '@platform/contracts'
import { startTestService, type TestService } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functions } from '../service.ts'

let service: TestService
/** Answers with the headers it was asked with. */
let mirror: Server
let address: string
beforeAll(async () => {
  mirror = createServer((request, response) => response.end(JSON.stringify(request.headers)))
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/`
  const env = { REQUEST_MAX_SIZE: '1kb', FETCH_ALLOWED_HOSTS: '127.0.0.1' }
  service = await startTestService(functions, { env })
})
afterAll(async () => {
  mirror.close()
  await service[Symbol.asyncDispose]()
})

const bodyOf = (code: string, parameters: Record<string, unknown> = {}) => ({
  workspaceId: 'w',
  name: 'f',
  language: 'javascript' as const,
  code,
  dependencies: [],
  parameterNames: Object.keys(parameters),
  parameters,
  timeoutMs: 5000,
  key: 'the-key',
})

const call = (code: string, parameters?: Record<string, unknown>) =>
  service.internal(callFunction, { body: bodyOf(code, parameters) })

describe('POST /sys/functions/call', () => {
  test('answers what the function returns and writes', async () => {
    expect(await call('console.warn("b"); return a + 1', { a: 1 })).toEqual({
      result: 2,
      logs: [{ level: 'warn', text: 'b', at: expect.any(Number) }],
      durationMs: expect.any(Number),
    })
  })

  test('answers why the function failed, with its line', async () => {
    expect(await call('\nthrow new Error("no")')).toMatchObject({
      failure: { reason: 'threw', message: expect.stringContaining('no'), line: 2, logs: [] },
    })
  })

  test('lets it call what the guard allows, and tells who calls', async () => {
    const source = 'return await (await fetch(url)).json()'
    expect(await call(source, { url: address })).toMatchObject({
      result: { 'idempotency-key': 'the-key-1', 'user-agent': 'platform-runtime/2' },
    })
    expect(await call(source, { url: 'http://10.1.2.3/' })).toMatchObject({
      failure: { reason: 'threw', message: expect.stringContaining('FETCH_ALLOWED_HOSTS') },
    })
  })

  test('refuses too many parameters, a body that is none, and whoever is not the platform', async () => {
    await expect(call('return 1', { text: 'x'.repeat(2000) })).rejects.toMatchObject({
      name: 'PayloadTooLarge',
    })
    const send = (headers: Record<string, string>) =>
      fetch(`${service.url}/sys/functions/call`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    expect((await send(service.headersOf({ kind: 'internal' }))).status).toBe(400)
    expect((await send({})).status).toBe(401)
  })
})
