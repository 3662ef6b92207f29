import { randomBytes } from 'node:crypto'
import {
  createAccessToken,
  createAnonymousSession,
  getMe,
  PHOTO_BYTES,
  patchOwnUser,
} from '@platform/contracts'
import { longestTurn } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formOf, GIF, JPEG, PNG, startWithPhotos, WEBP, type WithPhotos } from '../../../test/photos.ts'

let started: WithPhotos
beforeAll(async () => {
  started = await startWithPhotos()
})
afterAll(() => started[Symbol.asyncDispose]())

const ofSize = (size: number) => Buffer.concat([PNG, Buffer.alloc(size - PNG.length)])

describe('POST /v2/user/photo', () => {
  test.each([
    ['image/png', PNG],
    ['image/jpeg', JPEG],
    ['image/gif', GIF],
    ['image/webp', WEBP],
  ])('takes %s by its bytes, whatever its name and sender say', async (type, bytes) => {
    const ada = await started.gateway.signIn()
    const { status, body } = await started.send(
      ada.headers,
      formOf(bytes, { type: 'text/html', name: 'x.svg' }),
    )
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: ada.userId, status: 'validated' })
    expect(body.photo).toMatch(/^http:\/\/localhost:3001\/v2\/photos\/[0-9A-Za-z]{28}-[0-9a-f]{16}$/)
    const shown = await started.open(body.photo)
    expect(shown.headers.get('content-type')).toBe(type)
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(bytes)
    expect((await started.gateway.client(ada.headers)(getMe)).photo).toBe(body.photo)
  })

  test('deletes the picture before it, and nobody else’s', async () => {
    const [ada, eve] = [await started.gateway.signIn(), await started.gateway.signIn()]
    const first = (await started.send(ada.headers, formOf(PNG))).body.photo
    const second = (await started.send(ada.headers, formOf(GIF))).body.photo
    expect((await started.open(first)).status).toBe(404)
    await started.gateway.client(eve.headers)(patchOwnUser, { body: { photo: second } })
    await started.send(eve.headers, formOf(PNG))
    expect((await started.open(second)).status).toBe(200)
  })

  test('leaves one picture of many that are sent at once', async () => {
    const before = new Set(await started.kept())
    const ada = await started.gateway.signIn()
    await Promise.all(Array.from({ length: 8 }, () => started.send(ada.headers, formOf(PNG))))
    const after = (await started.kept()).filter((name) => !before.has(name))
    expect(after).toHaveLength(1)
    const { photo = '' } = await started.gateway.client(ada.headers)(getMe)
    expect((await started.open(photo)).status).toBe(200)
  })

  test.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['nothing', Buffer.alloc(0)],
    ['half a signature', PNG.subarray(0, 7)],
    ['a sound in RIFF', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
    ['HTML with a signature behind it', Buffer.concat([Buffer.from('<html>'), PNG])],
    ['noise', Buffer.concat([Buffer.from([1]), randomBytes(1000)])],
  ])('refuses %s with InvalidFile', async (_, bytes) => {
    const ada = await started.gateway.signIn()
    const refused = await started.send(ada.headers, formOf(bytes))
    expect([refused.status, refused.body.error]).toEqual([400, 'InvalidFile'])
  })

  test('takes 4 MB and not a byte more', async () => {
    const ada = await started.gateway.signIn()
    expect((await started.send(ada.headers, formOf(ofSize(PHOTO_BYTES)))).status).toBe(200)
    for (const size of [PHOTO_BYTES + 1, PHOTO_BYTES + 100_000]) {
      const refused = await started.send(ada.headers, formOf(ofSize(size)))
      expect([refused.status, refused.body.error]).toEqual([413, 'PayloadTooLarge'])
    }
  })

  test('needs a form with the file and nothing else', async () => {
    const ada = await started.gateway.signIn()
    const two = formOf(PNG)
    two.append('photo', new Blob([GIF]), 'second.gif')
    const more = formOf(PNG)
    more.append('other', 'text')
    const type = 'multipart/form-data; boundary=b'
    const head = '--b\r\ncontent-disposition: form-data; name="photo"; filename="a"\r\n\r\n'
    for (const form of [formOf(PNG, { field: 'picture' }), two, more, new FormData()]) {
      const refused = await started.send(ada.headers, form)
      expect([refused.status, refused.body.error]).toEqual([400, 'RequestValidationError'])
    }
    for (const text of ['', 'no form', '--b', head, `${head}half`, `${head}x\r\n--b`]) {
      const refused = await started.send({ ...ada.headers, 'content-type': type }, text)
      expect(refused.status, text).toBe(400)
    }
    for (const contentType of ['image/png', 'application/json', 'multipart/mixed; boundary=b']) {
      const refused = await started.send({ ...ada.headers, 'content-type': contentType }, 'x')
      expect([refused.status, refused.body.error]).toEqual([415, 'UnsupportedMediaType'])
    }
    const noBoundary = { ...ada.headers, 'content-type': 'multipart/form-data; charset=utf-8' }
    expect((await started.send(noBoundary, 'x')).status).toBe(400)
  })

  test('of a form with very many parts or headers it reads no more than it needs to refuse it', async () => {
    const ada = await started.gateway.signIn()
    const headers = { ...ada.headers, 'content-type': 'multipart/form-data; boundary=b' }
    const part = '--b\r\ncontent-disposition: form-data; name="photo"\r\n'
    const { longestMs } = await longestTurn(async () => {
      for (const text of [
        '--b\r\n\r\n\r\n'.repeat(400_000),
        `${part}${'a: b\r\n'.repeat(600_000)}\r\nx\r\n--b--`,
      ])
        expect((await started.send(headers, text)).status).toBe(400)
    })
    expect(longestMs).toBeLessThan(400)
  })

  test('nobody is 401, a visitor and an access token 403', async () => {
    expect((await started.send({}, formOf(PNG))).status).toBe(401)
    const ada = await started.gateway.signIn()
    const visitor = await started.gateway.client()(createAnonymousSession)
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await started.gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    for (const credential of [visitor.token, token]) {
      const refused = await started.send({ authorization: `Bearer ${credential}` }, formOf(PNG))
      expect(refused.status).toBe(403)
    }
  })
})

test('the picture of an account goes with it', async () => {
  await using started = await startWithPhotos()
  const root = await started.gateway.signIn({ superAdmin: true })
  const ada = await started.gateway.signIn()
  const { photo } = (await started.send(ada.headers, formOf(PNG))).body
  const headers = { ...root.headers }
  const deleted = await fetch(`${started.gateway.url}/v2/users/${ada.userId}`, { method: 'DELETE', headers })
  expect(deleted.status).toBe(200)
  expect((await started.open(photo)).status).toBe(404)
  expect(await started.kept()).toEqual([])
})

test('without a place for files a picture is 503, and none is found', async () => {
  await using without = await startWithPhotos({ FILES_URL: '' })
  const ada = await without.gateway.signIn()
  const refused = await without.send(ada.headers, formOf(PNG))
  expect([refused.status, refused.body.message]).toEqual([503, expect.stringContaining('FILES_URL')])
  expect((await without.open(`http://x/v2/photos/${'a'.repeat(28)}-${'0'.repeat(16)}`)).status).toBe(404)
})

test('more pictures a minute than the limit are 429, with its headers', async () => {
  await using limited = await startWithPhotos({ RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_UPLOADS: '2' })
  const ada = await limited.gateway.signIn()
  const answers = []
  for (let time = 0; time < 5; time += 1) answers.push(await limited.send(ada.headers, formOf(PNG)))
  expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('2')
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(refused?.body.error).toBe('TooManyRequests')
})
