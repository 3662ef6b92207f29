import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'
import { apiVersionsField, stateOf } from './api-version.ts'

let service: Upstream
let gateway: TestGateway
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const versions = apiVersionsField.parse(undefined)
const errorOf = async (response: Response) => ((await response.json()) as { error: string }).error

describe('a retired version', () => {
  test.each(['/v1', '/v1/', '/v1/workspaces', '/%76%31', '/%761/workspaces/x?y=1', '/v%31/login/anonymous'])(
    'is 410 whatever the spelling, verb and credential: %s',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(gateway.url + path, {
          method,
          headers: { authorization: 'Bearer nonsense', 'x-platform-api-version': 'nonsense' },
        })
        expect(response.status, method).toBe(410)
        expect(response.headers.get('link')).toBe('</v2>; rel="successor-version"')
        expect(await response.json()).toMatchObject({
          error: 'RetiredVersion',
          details: {
            version: 'v1',
            retiredAt: '2025-12-31T23:59:59Z',
            successor: 'v2',
            migrationGuide: expect.any(String),
          },
        })
      }
      expect(service.seen).toEqual([])
    },
  )

  test('is 410 for HEAD too', async () => {
    expect((await fetch(`${gateway.url}/v1/x`, { method: 'HEAD' })).status).toBe(410)
  })

  test('retires by the clock alone', () => {
    const [v1] = versions
    if (v1 === undefined) throw new Error('The table has no v1.')
    expect(stateOf(v1, new Date('2024-12-30T00:00:00Z'))).toBe('stable')
    expect(stateOf(v1, new Date('2025-12-31T23:59:58Z'))).toBe('deprecated')
    expect(stateOf(v1, new Date('2025-12-31T23:59:59Z'))).toBe('retired')
  })
})

describe('a deprecated version', () => {
  test('is served until its last second and gone with it, with no deploy between', async () => {
    let now = '2025-12-31T23:59:50Z'
    const clock = { now: () => new Date(now) }
    await using old = await startGateway({ services: service.url, clock })
    const before = await fetch(`${old.url}/v1/login/providers`)
    expect([before.status, Object.keys((await before.json()) as object)]).toContainEqual(200)
    expect(Object.fromEntries(before.headers)).toMatchObject({
      'x-platform-api-deprecation': expect.stringContaining('use v2'),
      deprecation: '@1735603200',
      sunset: 'Wed, 31 Dec 2025 23:59:59 GMT',
      link: '</v2>; rel="successor-version"',
    })
    now = '2025-12-31T23:59:58.999Z'
    expect((await fetch(`${old.url}/v1/login/providers`)).status).toBe(200)
    now = '2025-12-31T23:59:59Z'
    expect((await fetch(`${old.url}/v1/login/providers`)).status).toBe(410)
  })

  test('says so beside errors too, and v2 never does', async () => {
    await using old = await startGateway({ services: service.url, env: { API_VERSIONS: deprecatedV1 } })
    const refused = await fetch(`${old.url}/v1/me`)
    expect([refused.status, refused.headers.get('deprecation')]).toEqual([401, '@1735603200'])
    const current = await fetch(`${old.url}/v2/me`)
    expect([...current.headers.keys()].filter((name) => /deprecation|sunset|version/.test(name))).toEqual([])
  })

  test('may be v2 itself, once the table says so', async () => {
    const table = JSON.stringify([{ name: 'v2', deprecatedAt: '2026-01-01T00:00:00Z', successor: 'v3' }])
    await using later = await startGateway({ services: service.url, env: { API_VERSIONS: table } })
    const answer = await fetch(`${later.url}/v2/login/providers`)
    expect([answer.status, answer.headers.get('link')]).toEqual([200, '</v3>; rel="successor-version"'])
  })
})

const deprecatedV1 = JSON.stringify([
  { name: 'v1', deprecatedAt: '2024-12-31T00:00:00Z', retiresAt: '2999-01-01T00:00:00Z' },
  { name: 'v2' },
])

describe('an unknown version', () => {
  test.each(['/V1', '/v1.0', '/v01', '/v0', '/V3/me', '/v4/x', '/V2/me', '/v2.1/me', '/v22', '/v3x/me'])(
    'is 404: %s',
    async (path) => {
      const response = await fetch(gateway.url + path)
      expect([response.status, await errorOf(response)]).toEqual([404, 'UnknownVersion'])
    },
  )

  test('is one that only the table knows', async () => {
    const table = JSON.stringify([{ name: 'v2' }, { name: 'v9' }])
    await using odd = await startGateway({ services: service.url, env: { API_VERSIONS: table } })
    expect(await errorOf(await fetch(`${odd.url}/v9/me`))).toBe('UnknownVersion')
    expect(await errorOf(await fetch(`${odd.url}/v3/me`))).toBe('UnknownVersion')
  })
})

describe('a path of another version', () => {
  const spellings = ['/v3', '/%76%33', '/v%33']

  test('meets the rules of its v2 path, whatever the spelling of the prefix', async () => {
    const ada = await gateway.signIn()
    const token = await accessTokenOf(ada.headers)
    const lent = await gateway.signIn({ clientId: 'somebody-else' })
    const before = service.seen.length
    for (const prefix of spellings) {
      const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
        const answer = await fetch(gateway.url + prefix + path, { method, headers })
        return [answer.status, await errorOf(answer)]
      }
      // Who needs a caller has none; a bad credential is refused wherever it is sent.
      expect(await ask('/workspaces')).toEqual([401, 'AuthenticationError'])
      expect(await ask('/login/providers', 'GET', { authorization: 'Bearer x' })).toEqual([
        401,
        'AuthenticationError',
      ])
      // An access token changes no account, an application of others does nothing that no scope covers.
      expect(await ask('/user/sessions', 'DELETE', token)).toEqual([403, 'ForbiddenError'])
      expect(await ask('/workspaces/w/security/apikeys', 'POST', token)).toEqual([403, 'ForbiddenError'])
      expect(await ask('/me', 'GET', lent.headers)).toEqual([403, 'InsufficientScope'])
      // The internal key opens the same two doors and no other.
      expect(await ask('/me', 'GET', gateway.internalHeaders)).toEqual([401, 'AuthenticationError'])
      // A cookie changes nothing without the token of our own pages.
      const cookie = { cookie: `access-token=${ada.jwt}`, origin: 'https://evil.example' }
      expect(await ask('/user/sessions', 'DELETE', cookie)).toEqual([403, 'ForbiddenError'])
    }
    expect(service.seen.length).toBe(before)
  })

  test('reaches its service under the v2 path, and nothing under another', async () => {
    const ada = await gateway.signIn()
    await fetch(`${gateway.url}/v3/workspaces/w/automations/a%20b?x=1`, { headers: ada.headers })
    expect(service.seen.at(-1)?.url).toBe('/v2/workspaces/w/automations/a%20b?x=1')
    const nested = await fetch(`${gateway.url}/v3/v2/workspaces`, { headers: ada.headers })
    expect([nested.status, await errorOf(nested)]).toEqual([404, 'ObjectNotFoundError'])
  })

  test('leaves the body alone that belongs to a program', async () => {
    const ada = await gateway.signIn()
    const body = JSON.stringify({ id: 'mine', _id: 'mine too', n: 12345678901234567890n.toString() })
    await using echo = await startUpstream((request, response) => {
      response.setHeader('content-type', 'application/json')
      request.pipe(response)
    })
    await using front = await startGateway({ services: echo.url, databaseUrl: gateway.databaseUrl })
    const answer = await fetch(`${front.url}/v3/workspaces/w/webhooks/a`, {
      method: 'POST',
      headers: { ...ada.headers, 'content-type': 'application/json' },
      body,
    })
    expect(await answer.text()).toBe(body)
  })

  async function accessTokenOf(headers: Record<string, string>) {
    const made = await fetch(`${gateway.url}/v3/user/accessTokens`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'T', expiresAt: new Date(Date.now() + 86_400_000) }),
    })
    const { id, token, ...rest } = (await made.json()) as Record<string, string>
    expect(id).toEqual(expect.any(String))
    expect(rest).not.toHaveProperty('_id')
    return { authorization: `Bearer ${token}` }
  }
})

describe('a retired version leaves no trace', () => {
  test('not one row is written, whatever it carries', async () => {
    const rows = async () => {
      const [counted] = await gateway.database.many(sql`
        select (select count(*)::int from gateway.users) as users,
          (select count(*)::int from gateway.sessions) as sessions,
          (select count(*)::int from audit.entries) as audited,
          (select count(*)::int from gateway.api_version_callers where version = 'v1') as callers`)
      return counted
    }
    const before = await rows()
    for (let index = 0; index < 20; index += 1) {
      const answer = await fetch(`${gateway.url}/v1/login/anonymous`, { method: 'POST', body: '{}' })
      expect(answer.status).toBe(410)
    }
    expect(await rows()).toEqual(before)
  })
})

describe('the table of versions', () => {
  test('can be replaced, but not by nonsense', () => {
    expect(apiVersionsField.parse('[{"name":"v2"}]')).toEqual([{ name: 'v2', releasedOn: '2024-12-31' }])
    for (const text of ['', '[]', '{}', '[{"name":"2"}]', '[{"name":"v1","retiresAt":"soon"}]']) {
      expect(apiVersionsField.safeParse(text).success, text).toBe(false)
    }
  })
})
