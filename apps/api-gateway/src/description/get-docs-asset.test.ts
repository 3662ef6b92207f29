import { request as send } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const assetNames = async () => {
  const html = await (await fetch(`${gateway.url}/docs`)).text()
  return [...html.matchAll(/(?:href|src)="\/docs\/([^"]+)"/g)].map(([, name]) => String(name))
}

describe('GET /docs/:asset', () => {
  test('answers every file the page names, to be kept for good', async () => {
    const names = await assetNames()
    expect(names).toHaveLength(5)
    const answers = await Promise.all(names.map((name) => fetch(`${gateway.url}/docs/${name}`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    for (const answer of answers) {
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      expect(answer.headers.get('content-type')).toMatch(
        /^(text\/(css|javascript); charset=utf-8|image\/png)$/,
      )
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(500)
    }
  })

  test('is compressed, and not sent again to who has it', async () => {
    const names = await assetNames()
    const url = `${gateway.url}/docs/${names.find((name) => name.endsWith('.js'))}`
    const first = await send(url, { headers: { 'accept-encoding': 'br' } })
    const { etag = '', ...headers } = first.headers
    const bytes = await first.body.bytes()
    expect([headers['content-encoding'], bytes.length < 500_000]).toEqual(['br', true])
    const again = await send(url, { headers: { 'accept-encoding': 'br', 'if-none-match': String(etag) } })
    expect([again.statusCode, await again.body.text()]).toEqual([304, ''])
  })

  test('knows a file by its present name only: no other file, no way out of its folder', async () => {
    for (const name of ['swagger-ui.css', 'swagger-ui.0000.css', 'package.json', '..%2fpackage.json'])
      expect([400, 404], name).toContain((await fetch(`${gateway.url}/docs/${name}`)).status)
    expect(await (await fetch(`${gateway.url}/docs/nothing.js`)).json()).toEqual({
      error: 'ObjectNotFoundError',
      message: 'The pages have no such file.',
    })
  })

  test('needs no credential and gives nobody more', async () => {
    const [name = ''] = await assetNames()
    const { headers } = await gateway.signIn({ scopes: [] })
    expect((await fetch(`${gateway.url}/docs/${name}`, { headers })).status).toBe(200)
  })
})
