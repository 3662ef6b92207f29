import { getStatus } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const look = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gateway.url + path, { method, headers: { accept: BROWSER, ...headers } })

describe('GET / in a browser', () => {
  test('is a page that leads on, in the language of the browser', async () => {
    const answer = await look('/', { 'accept-language': 'fr' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-language')).toBe('fr')
    expect(answer.headers.get('vary')).toContain('Accept')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const html = await answer.text()
    for (const path of ['/signin', '/docs', '/v2/openapi.json', '/v2/readiness'])
      expect(html).toContain(`href="${path}"`)
    expect(html).toContain('0.0.0-test')
  })

  test('is JSON for programs, whose caches must not mix them up', async () => {
    expect(await gateway.client()(getStatus)).toMatchObject({ status: 'ok' })
    const answer = await fetch(gateway.url, { headers: { accept: '*/*' } })
    expect(answer.headers.get('vary')).toContain('Accept')
    expect(await answer.json()).toMatchObject({ name: 'api-gateway' })
  })

  test('asks for no credential and looks at none', async () => {
    expect((await look('/', { authorization: 'Bearer nonsense' })).status).toBe(200)
  })
})

describe('what is not there', () => {
  test('is a page for a browser, with nothing of the address as markup', async () => {
    for (const path of [
      '/nothing',
      '/docs/pages/nothing',
      '/signin/nothing',
      '/%3Cscript%3Ealert(1)%3C%2Fscript',
    ]) {
      const answer = await look(path)
      if (answer.status === 400) continue
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('x-correlation-id')).toMatch(/.{8,}/)
      const html = await answer.text()
      expect(html).not.toContain('<script')
      expect(html).toContain('href="/"')
    }
  })

  test('is the error body for programs, for the API, and for what changes something', async () => {
    const asked = [
      fetch(`${gateway.url}/nothing`),
      look('/nothing', { accept: 'application/json' }),
      look('/v2/nothing'),
      look('/v9'),
      look('/sys/nothing'),
      look('/nothing', {}, 'POST'),
    ]
    for (const answer of await Promise.all(asked)) {
      expect(answer.status).toBe(404)
      expect(await answer.json()).toHaveProperty('error')
    }
  })
})
