import { hashToken, newApiKey } from '@platform/auth'
import { getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { createFor } from '@platform/identity/testing'
import { createLogger } from '@platform/logging'
import { apiKeyStore } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

const written: string[] = []
const log = createLogger({ level: 'trace', destination: { write: (line) => written.push(line) } })

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
let bob: SignedIn
let apiKey: string
let keyId: string
let accessToken: string
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url, log })
  ;[ada, bob] = [await gateway.signIn(), await gateway.signIn()]
  apiKey = newApiKey('acme')
  const shown = { workspaceId: 'w1', createdBy: ada.userId, orgSlug: 'acme', keyTail: apiKey.slice(-4) }
  const record = apiKeyRecord(shown)
  keyId = record.id
  await gateway.database.many(
    sql`insert into permissions.workspaces (id, slug, name) values ('w1', 'w1', 'mix')`,
  )
  await apiKeyStore(gateway.database).insert(record, hashToken(apiKey))
  accessToken = (await createFor(gateway, ada)).token
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

type State = 'none' | 'good' | 'bad'
const states: State[] = ['none', 'good', 'bad']

/** Every combination; the bearer is ada's, the cookie bob's, so that a mix would show. */
const combinations = states.flatMap((bearer) =>
  states.flatMap((cookie) => states.map((key) => ({ bearer, cookie, key }))),
)

const bad = {
  bearer: 'Bearer eyJhbGciOiJub25lIn0.e30.',
  cookie: 'access-token=eyJhbGciOiJub25lIn0.e30.',
  key: newApiKey('acme'),
}

function headersOf({ bearer, cookie, key }: Record<'bearer' | 'cookie' | 'key', State>) {
  const good = {
    bearer: ada.headers.authorization,
    cookie: `access-token=${bob.jwt}`,
    key: apiKey,
  }
  const headers: Record<string, string> = {}
  if (bearer !== 'none') headers.authorization = bearer === 'good' ? good.bearer : bad.bearer
  if (cookie !== 'none') headers.cookie = cookie === 'good' ? good.cookie : bad.cookie
  if (key !== 'none') headers['x-platform-api-key'] = key === 'good' ? good.key : bad.key
  return headers
}

/** Who calls, and in which order: a bearer hides the cookie, a bad one of those that are read is 401. */
function expectedOf({ bearer, cookie, key }: Record<'bearer' | 'cookie' | 'key', State>) {
  const user = bearer === 'none' ? cookie : bearer
  if (user === 'bad' || key === 'bad') return 401
  if (user === 'none' && key === 'none') return 401
  const person = user === 'none' ? undefined : bearer === 'none' ? bob.userId : ada.userId
  return { person, key: key === 'good' ? keyId : undefined }
}

describe('several credentials in one request', () => {
  test.each(combinations)('bearer $bearer, cookie $cookie, key $key', async (combination) => {
    const before = service.seen.length
    const response = await fetch(`${gateway.url}/v2/workspaces/w1`, { headers: headersOf(combination) })
    const expected = expectedOf(combination)
    if (expected === 401) {
      expect(response.status).toBe(401)
      expect(service.seen.length).toBe(before)
      return
    }
    expect(response.status).toBe(200)
    const seen = service.seen.at(-1)?.headers
    expect([seen?.['x-platform-user-id'], seen?.['x-platform-api-key-id']]).toEqual([
      expected.person,
      expected.key,
    ])
    expect(seen).not.toHaveProperty('x-platform-api-key')
    expect(seen).not.toHaveProperty('cookie')
    expect(seen).not.toHaveProperty('authorization')
  })

  test('never mix: an access token is read from the Authorization header, a JWT not from the key’s', async () => {
    const status = async (headers: Record<string, string>, path = '/v2/me') =>
      (await fetch(gateway.url + path, { headers })).status
    expect(await status({ authorization: `Bearer ${accessToken}` })).toBe(200)
    expect(await status({ cookie: `access-token=${accessToken}` })).toBe(401)
    expect(await status({ authorization: `Bearer ${apiKey}` })).toBe(401)
    expect(await status({ cookie: `access-token=${apiKey}` })).toBe(401)
    expect(await status({ 'x-platform-api-key': ada.jwt })).toBe(401)
    expect(await status({ 'x-platform-api-key': accessToken })).toBe(401)
    expect(
      await status({ authorization: `Basic ${btoa('ada:pw')}`, cookie: `access-token=${bob.jwt}` }),
    ).toBe(401)
    expect(await status({ authorization: '', cookie: `access-token=${bob.jwt}` })).toBe(401)
  })

  test('an API key in another header is told which one is its own', async () => {
    const told = async (headers: Record<string, string>) => {
      const answer = await fetch(`${gateway.url}/v2/me`, { headers })
      return { status: answer.status, message: ((await answer.json()) as { message: string }).message }
    }
    for (const headers of [{ authorization: `Bearer ${apiKey}` }, { 'x-api-key': apiKey }])
      expect(await told(headers as Record<string, string>)).toEqual({
        status: 401,
        message: expect.stringMatching(/takes no API key: send the key in the header x-platform-api-key/),
      })
    expect(await told({ 'x-platform-api-key': accessToken })).toEqual({
      status: 401,
      message: expect.stringContaining('goes into "Authorization: Bearer <token>"'),
    })
  })

  test('an access token is told how a person does it', async () => {
    const answer = await fetch(`${gateway.url}/v2/user/sessions`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect(answer.status).toBe(403)
    expect(((await answer.json()) as { message: string }).message).toMatch(
      /sign in at \/signin and send the JWT/,
    )
  })

  test('a key alone is 403 where only people may be', async () => {
    const headers = { 'x-platform-api-key': apiKey }
    for (const path of ['/v2/me', '/v2/user/sessions', '/v2/user/accessTokens'])
      expect((await fetch(gateway.url + path, { headers })).status, path).toBe(403)
  })
})

describe('a credential in the wrong place', () => {
  const names = [
    'access_token',
    'accessToken',
    'apiKey',
    'api_key',
    'token',
    'authorization',
    'x-platform-api-key',
    'id_token',
  ]

  test('of the query is ignored: 401', async () => {
    for (const name of names)
      for (const credential of [ada.jwt, accessToken, apiKey, `Bearer ${ada.jwt}`]) {
        const query = new URLSearchParams({ [name]: credential })
        for (const path of ['/v2/me', '/v2/workspaces', '/v2/workspaces/w1/events'])
          expect((await fetch(`${gateway.url}${path}?${query}`)).status, `${path}?${name}`).toBe(401)
      }
  })

  test('of a form or JSON body, or of the Referer, is ignored: 401', async () => {
    for (const name of names) {
      const referer = `http://localhost:3000/?${new URLSearchParams({ [name]: ada.jwt })}`
      const bodies: (string | URLSearchParams)[] = [
        new URLSearchParams({ [name]: ada.jwt }),
        JSON.stringify({ [name]: ada.jwt }),
        JSON.stringify({ [name]: accessToken }),
      ]
      for (const body of bodies) {
        const init = { method: 'POST', body, headers: { referer } }
        expect((await fetch(`${gateway.url}/v2/workspaces`, init)).status, name).toBe(401)
        expect((await fetch(`${gateway.url}/v2/user/accessTokens`, init)).status, name).toBe(401)
      }
    }
  })

  test('nor one in the right place, good or bad, is ever written into the log', async () => {
    await gateway.client(ada.headers)(getMe)
    await fetch(`${gateway.url}/v2/me`, { headers: { cookie: `access-token=${bob.jwt}` } })
    await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${ada.jwt}x` } })
    await fetch(`${gateway.url}/v2/me`, { headers: { 'x-platform-api-key': bad.key } })
    await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${accessToken}` } })
    await vi.waitFor(() => expect(written.join('').split('\n').length).toBeGreaterThan(100))
    const text = written.join('')
    expect(text).toContain('/v2/me')
    for (const secret of [ada.jwt, bob.jwt, accessToken, apiKey, bad.key]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(secret.slice(-20))
    }
  })
})
