import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callFunction } from '@platform/contracts'
import { startTestService, type TestService } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { functions } from '../service.ts'

const BYTES = 'b'.repeat(44)
const REFERENCE = `$secret:k1.${BYTES}.`

let service: TestService
/** Answers with the headers it was asked with. */
let mirror: Server
let address: string
/** What it was shown. */
const authorizations: (string | undefined)[] = []
beforeAll(async () => {
  mirror = createServer((request, response) => {
    authorizations.push(request.headers.authorization)
    response.end(JSON.stringify(request.headers))
  })
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

type Besides = { readonly secrets?: { keyId: string; bytes: string; value?: string; gone?: string }[] }

const call = (code: string, parameters?: Record<string, unknown>, besides: Besides = {}, by = service) =>
  by.internal(callFunction, { body: { ...bodyOf(code, parameters), ...besides } })

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

  test('puts secrets in where a request leaves: the function sees references, also in what comes back', async () => {
    const source = `
      const response = await fetch(url, { headers: { authorization: 'Bearer ' + key, 'x-plain': 'a' } })
      return { key, seen: await response.json() }`
    const secrets = [{ keyId: 'k1', bytes: BYTES, value: 'sk-1 of the test' }]
    const answer = await call(source, { url: address, key: REFERENCE }, { secrets })
    expect(answer).toMatchObject({
      result: { key: REFERENCE, seen: { authorization: `Bearer ${REFERENCE}`, 'x-plain': 'a' } },
    })
    expect(JSON.stringify(answer)).not.toContain('sk-1')
    expect(authorizations.at(-1)).toBe('Bearer sk-1 of the test')

    const gone = [{ keyId: 'k1', bytes: BYTES, gone: 'The secret is not there any more.' }]
    expect(await call(source, { url: address, key: REFERENCE }, { secrets: gone })).toMatchObject({
      failure: { reason: 'threw', message: expect.stringContaining('The secret is not there any more.') },
    })
    const used = authorizations.length
    expect(
      await call('return await (await fetch(url)).json()', { url: address }, { secrets: gone }),
    ).toMatchObject({
      result: { host: expect.any(String) },
    })
    expect(authorizations.length).toBe(used + 1)
  })

  test('lets a workspace fetch so often and no more, and others meanwhile', async () => {
    const env = { FETCH_ALLOWED_HOSTS: '127.0.0.1', RATE_LIMIT_FETCHES: '1', RATE_LIMIT_FETCHES_BURST: '2' }
    await using limited = await startTestService(functions, { env: { ...env, RATE_LIMIT_DISABLED: 'false' } })
    const source = `
      const begun = Date.now()
      for (let n = 0; n < 3; n += 1) await (await fetch(url)).text()
      return Date.now() - begun`
    const answer = await call(source, { url: address }, {}, limited)
    expect(answer).toMatchObject({ result: expect.any(Number) })
    expect(Number(Object(answer).result)).toBeGreaterThan(700)
    const other = { ...bodyOf('return (await fetch(url)).status', { url: address }), workspaceId: 'other' }
    const begunAt = performance.now()
    expect(await limited.internal(callFunction, { body: other })).toMatchObject({ result: 200 })
    expect(performance.now() - begunAt).toBePrompt(5000)
  })

  test('lets a workspace fetch as often as its calls say, and as all when they say nothing', async () => {
    const env = { FETCH_ALLOWED_HOSTS: '127.0.0.1', RATE_LIMIT_FETCHES: '1', RATE_LIMIT_FETCHES_BURST: '1' }
    await using limited = await startTestService(functions, { env: { ...env, RATE_LIMIT_DISABLED: 'false' } })
    const source = `
      const begun = Date.now()
      for (let n = 0; n < 2; n += 1) await (await fetch(url)).text()
      return Date.now() - begun`
    const tookWith = async (more: object) =>
      Number(Object(await call(source, { url: address }, more, limited)).result)
    expect(await tookWith({ fetchRate: null })).toBeLessThan(900)
    expect(await tookWith({ fetchRate: { perSecond: 100, burst: 10 } })).toBeLessThan(900)
    expect(await tookWith({})).toBeGreaterThan(700)
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
