import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { getApiDescription } from '@platform/contracts'
import { createClient } from '@platform/service-client'
import { request as send } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ env: { API_URL: 'http://localhost:3001/v2' } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const get = (headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${gateway.url}/v2/openapi.json`, { ...init, headers: { 'accept-encoding': 'identity', ...headers } })

describe('GET /v2/openapi.json', () => {
  test('answers the document of this installation to anybody', async () => {
    const document = await createClient(gateway.url)(getApiDescription)
    expect(document).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: 'http://localhost:3001' }],
      paths: { '/v2/me': { get: { operationId: 'getMe' } } },
    })
    expect(Object.keys(document.paths as object)).not.toContain('/v2/platform/users/password-reset')
  })

  test('may be kept, and is not sent again to who has it', async () => {
    const first = await get()
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    const again = await get({ 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('is compressed for who takes it, each coding with its own tag', async () => {
    const plain = await (await get()).text()
    const ask = async (coding: string) => {
      const answer = await send(`${gateway.url}/v2/openapi.json`, { headers: { 'accept-encoding': coding } })
      return { headers: answer.headers, bytes: Buffer.from(await answer.body.arrayBuffer()) }
    }
    const brotli = await ask('gzip, deflate, br')
    const gzip = await ask('br;q=0, gzip')
    expect(brotli.headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(plain)
    expect(gunzipSync(gzip.bytes).toString()).toBe(plain)
    expect(brotli.headers.etag).not.toBe(gzip.headers.etag)
    expect(brotli.headers.vary).toContain('accept-encoding')
    expect(brotli.bytes.length).toBeLessThan(plain.length / 8)
  })

  test('refuses a query that can not be read', async () => {
    expect((await fetch(`${gateway.url}/v2/openapi.json?%00=1`)).status).toBe(400)
  })

  test('refuses a bad credential, as everything does', async () => {
    expect((await get({ authorization: 'Bearer nonsense' })).status).toBe(401)
  })

  test('is the same for somebody who may do nothing', async () => {
    const { headers } = await gateway.signIn({ scopes: [] })
    expect((await get(headers)).status).toBe(200)
  })

  test('knows no other method and no other name', async () => {
    const post = await get({}, { method: 'POST' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await fetch(`${gateway.url}/v2/openapi.yaml`)).status).toBe(404)
    const head = await get({}, { method: 'HEAD' })
    expect([head.status, Number(head.headers.get('content-length')) > 100_000]).toEqual([200, true])
  })
})
