import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formOf, PNG, startWithPhotos, type WithPhotos } from '../../../test/photos.ts'

let started: WithPhotos
let photo: string
beforeAll(async () => {
  started = await startWithPhotos()
  const ada = await started.gateway.signIn()
  photo = (await started.send(ada.headers, formOf(PNG))).body.photo
})
afterAll(() => started[Symbol.asyncDispose]())

describe('GET /v2/photos/:photoId', () => {
  test('shows a picture to anybody who knows its address; nothing in it runs, and browsers keep it', async () => {
    const { status, headers } = await started.open(photo)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline; filename="photo.png"',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  test('answers HEAD without the bytes', async () => {
    const url = `${started.gateway.url}${new URL(photo).pathname}`
    const response = await fetch(url, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBe(0)
  })

  test('tells browsers that they have it: an address never shows other bytes', async () => {
    const url = `${started.gateway.url}${new URL(photo).pathname}`
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    for (const method of ['GET', 'HEAD']) {
      const again = await fetch(url, { method, headers: { 'if-none-match': etag } })
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag])
      expect(again.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    }
  })

  test('takes no wrong credential, though it needs none', async () => {
    const url = `${started.gateway.url}${new URL(photo).pathname}`
    const response = await fetch(url, { headers: { authorization: 'Bearer nonsense' } })
    expect(response.status).toBe(401)
  })

  test.each([
    `${'a'.repeat(28)}-${'0'.repeat(16)}`,
    'x',
    '@incoming',
    '..',
    '..%2f..%2fetc%2fpasswd',
    '%00',
    `${'a'.repeat(28)}-${'0'.repeat(16)}@`,
    'x'.repeat(3000),
  ])('answers %j like a picture that is not there, or refuses the path', async (id) => {
    const response = await fetch(`${started.gateway.url}/v2/photos/${id}`)
    expect([400, 404]).toContain(response.status)
    expect(response.headers.get('content-type')).toContain('application/json')
  })
})
