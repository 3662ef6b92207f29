import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { listVersionCallers, listVersions } from '@platform/contracts'
import { openDatabase, raw, sql } from '@platform/database'
import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, newAccount, newWorkspace, saveAutomation } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const AT = '/user/accessTokens'
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

/** A request for a path as it is spelled here: fetch would tidy it up first. */
async function spelled(origin: string, method: string, path: string, token: string) {
  const { hostname, port } = new URL(origin)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = method === 'GET' ? '' : '{"name":"never made"}'
  const sent = request({
    hostname,
    port,
    method,
    path,
    headers: { ...headers, 'content-length': body.length },
  })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

describe.each(shapes)('versions of $name', (shape) => {
  let platform: Platform
  let origin: string
  let jwt: string
  let token: string
  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    origin = platform.origin
    ;({ jwt, token } = await administrator(platform))
  })

  test.each([
    ['/v1', 410],
    ['/v1/', 410],
    ['/v1/login/anonymous', 410],
    ['/%76%31', 410],
    ['/%76%31/workspaces', 410],
    ['/V1', 404],
    ['/v1.0', 404],
    ['/v01', 404],
    ['/v4/me', 404],
    ['//v1', 400],
    ['/v1;x', 400],
    ['/v1%2f..%2fv2', 400],
    ['/v1%2F..%2Fv2/me', 400],
    ['/v2/%2e%2e/v1', 400],
    ['/v2/../v1', 400],
    ['/./v1', 400],
  ])('%s is %i, whatever the verb', async (path, expected) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await spelled(origin, method, path, jwt)
      expect([method, answer.status]).toEqual([method, expected])
      if (expected !== 410) continue
      expect(JSON.parse(answer.text).details).toMatchObject({ version: 'v1', successor: 'v2' })
      expect(answer.headers.link).toBe('</v2>; rel="successor-version"')
    }
  })

  test('lists and records are those of v3 at every service, from the first page to the last', async () => {
    // The lists of the administrator grow meanwhile: other files use the same platform.
    const { jwt: token } = await newAccount(origin)
    const add = (name: string) =>
      call(origin, 'POST', `/v3${AT}`, { token, body: { name, expiresAt: tomorrow() } })
    const earlier = await add('earlier')
    const made = await add('of v3')
    expect(Object.keys(made.json)).toEqual(['id', 'name', 'expiresAt', 'userId', 'token'])
    const found = await call(origin, 'GET', `/v3${AT}?limit=1`, { token })
    expect(found.json).toEqual({ results: [expect.objectContaining({ id: made.json.id })], nextCursor: '1' })
    const next = await call(origin, 'GET', `/v3${AT}?limit=1&cursor=1`, { token })
    expect(next.json.results).toMatchObject([{ id: earlier.json.id }])
    const gone = await call(origin, 'DELETE', `/v3${AT}/${made.json.id}`, { token })
    expect([gone.status, gone.json.id]).toEqual([200, made.json.id])

    const workspaces = [
      await newWorkspace(origin, token, 'Versions 1'),
      await newWorkspace(origin, token, 'Versions 2'),
    ]
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await call(origin, 'GET', `/v3/workspaces?limit=1${cursor}`, { token })
      expect(page.headers.get('content-length')).toBe(String(Buffer.byteLength(page.text)))
      seen.push(...page.json.results.map(({ id }: { id: string }) => id))
      if (page.json.nextCursor === null) break
      cursor = `&cursor=${page.json.nextCursor}`
    }
    expect(seen.toSorted()).toEqual(workspaces.toSorted())

    const id = workspaces[0] ?? ''
    const one = await call(origin, 'GET', `/v3/workspaces/${id}`, { token })
    expect(one.json).toEqual((await call(origin, 'GET', `/v2/workspaces/${id}`, { token })).json)
    const missing = await call(origin, 'GET', '/v3/workspaces/none', { token })
    expect([missing.status, missing.json.error]).toEqual([404, 'ObjectNotFoundError'])
  })

  test('events are paged by cursor, both ways, none twice and none lost', async () => {
    const id = await newWorkspace(origin, token, 'Events of v3')
    const path = `/v3/workspaces/${id}/events`
    const events = Array.from({ length: 7 }, (_, n) => ({
      type: 'versions.test',
      payload: { n, _id: 'mine' },
    }))
    const sent = await call(origin, 'POST', path, { token, body: { events } })
    expect(sent.status, sent.text).toBe(200)
    await vi.waitFor(
      async () => {
        const all = await call(origin, 'GET', `${path}?types=versions.test`, { token })
        expect(all.json.results).toHaveLength(7)
      },
      { timeout: 20_000, interval: 200 },
    )
    for (const sort of ['asc', 'desc']) {
      const found: number[] = []
      for (let cursor = ''; ; ) {
        const query = `types=versions.test&limit=3&sort=${sort}${cursor}`
        const page = await call(origin, 'GET', `${path}?${query}`, { token })
        expect(page.status, page.text).toBe(200)
        found.push(...page.json.results.map(({ payload }: { payload: { n: number } }) => payload.n))
        expect(page.json.results[0]?.payload._id).toBe('mine')
        if (page.json.nextCursor === null) break
        cursor = `&cursor=${page.json.nextCursor}`
      }
      const expected = events.map(({ payload }) => payload.n)
      expect(found).toEqual(sort === 'asc' ? expected : expected.toReversed())
    }
  })

  test('a program’s own body is nobody’s to change', async () => {
    const id = await newWorkspace(origin, token, 'Webhook of v3')
    await saveAutomation(origin, token, id, {
      slug: 'echo',
      name: 'Echo',
      when: { endpoint: true },
      do: [],
      output: '{{body}}',
    })
    const body = { _id: 'a', id: 'b', list: [{ _id: 'c' }] }
    const [two, three] = await Promise.all(
      ['v2', 'v3'].map((version) =>
        call(origin, 'POST', `/${version}/workspaces/${id}/webhooks/echo`, { token, body }),
      ),
    )
    expect(three?.json).toEqual(body)
    expect(three?.text).toBe(two?.text)
  })

  test('the behaviour of a date is that of the day, in both directions', async () => {
    const id = await newWorkspace(origin, token, 'Keys of then')
    const path = `/v2/workspaces/${id}/security/apikeys`
    const rules = [{ action: 'read', subject: 'workspaces' }]
    const made = await call(origin, 'POST', path, { token: jwt, body: { name: 'K', rules } })
    expect(made.status, made.text).toBe(200)
    const then = { token: jwt, headers: { 'x-platform-api-version': '2025-06-01' } }

    const listed = await call(origin, 'GET', path, then)
    expect(Object.keys(listed.json[0])).toEqual(['apiKey', 'name', 'rules', 'subjectId', 'subjectType'])
    expect(listed.headers.get('x-platform-api-version-used')).toBe('2024-12-31')
    expect(listed.headers.get('vary')).toContain('X-Platform-API-Version')

    const body = { ...listed.json[0], name: 'Renamed' }
    const keyPath = `${path}/${made.json.apiKey}`
    expect((await call(origin, 'PUT', keyPath, { token: jwt, body })).status).toBe(400)
    const edited = await call(origin, 'PUT', keyPath, { ...then, body })
    expect([edited.status, edited.json], edited.text).toEqual([200, body])

    const today = { token: jwt, headers: { 'x-platform-api-version': '2026-11-21' } }
    const since = await call(origin, 'GET', path, today)
    expect(since.headers.get('x-platform-api-version-used')).toBe('2026-11-21')
    expect(since.json).toEqual((await call(origin, 'GET', path, { token: jwt })).json)
    expect(since.json[0]).toMatchObject({ name: 'Renamed', disabled: false })
    for (const date of ['2025-02-30', '2999-01-01', '__proto__', '2024-12-30']) {
      const refused = await call(origin, 'GET', path, {
        token: jwt,
        headers: { 'x-platform-api-version': date },
      })
      expect([refused.status, refused.json.error]).toEqual([400, 'InvalidApiVersion'])
    }
  })

  test(`${listVersions.id} and ${listVersionCallers.id} tell what there is and who uses it`, async () => {
    const versions = await call(origin, 'GET', '/v2/versions')
    expect(versions.json.map((one: { version: string; state: string }) => [one.version, one.state])).toEqual([
      ['v1', 'retired'],
      ['v2', 'stable'],
      ['v3', 'beta'],
    ])
    await call(origin, 'GET', '/v3/me', { token: jwt })
    await vi.waitFor(
      async () => {
        const callers = await call(origin, 'GET', '/v2/versions/v3/callers', { token: jwt })
        expect(callers.json).toContainEqual(
          expect.objectContaining({ kind: 'user', clientId: 'gateway-signin', count: expect.any(Number) }),
        )
      },
      { timeout: 20_000, interval: 500 },
    )
    expect((await call(origin, 'GET', '/v2/versions/v7/callers', { token: jwt })).status).toBe(404)
    expect((await call(origin, 'GET', '/v2/versions/v3/callers')).status).toBe(401)
  })

  test('a retired version writes nothing, whatever is asked: its database looks the same', async (context) => {
    const { DATABASE_URL = '' } = platform.env
    if (!DATABASE_URL.startsWith('postgres')) return context.skip()
    await using database = await openDatabase(DATABASE_URL, { poolSize: 1 })
    // A row that was made or changed has another xmin, and one that is gone is missing from the sum.
    const state = (table: string) =>
      database.many(
        raw(`select count(*)::int as rows, sum(xmin::text::bigint)::text as changes from ${table}`),
      )
    const places = ['users', 'mails', 'oidc_records', 'revocations', 'auth_providers'].map(
      (one) => `gateway.${one}`,
    )
    const look = () => Promise.all([...places, 'audit.entries'].map(state))
    const paths = ['/v1', '/v1/login/anonymous', '/%76%31/signup', '/v1/user/accessTokens', '/v1/login']
    let before = await look()
    // Other files use the same platform: what a retired version wrote would be there each time.
    await vi.waitFor(async () => {
      before = await look()
      for (const path of paths)
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
          expect((await call(platform.origin, method, path, { token: jwt, body: {} })).status).toBe(410)
      expect(await look()).toEqual(before)
    })
    expect((await call(platform.origin, 'POST', '/v2/login/anonymous', { body: {} })).status).toBe(200)
    expect(await look()).not.toEqual(before)
    const callers = await database.many(sql`select 1 from gateway.api_version_callers where version = 'v1'`)
    expect(callers).toEqual([])
  })
})

describe.each(shapes.slice(0, 1))('v1 before its end, of $name', (shape) => {
  test('serves with its notices, and its tokens have two ids', async () => {
    const table = [
      {
        name: 'v1',
        deprecatedAt: '2024-12-31T00:00:00Z',
        retiresAt: '2999-12-31T23:59:59Z',
        successor: 'v2',
      },
      { name: 'v2' },
    ]
    await using platform = await shape.start({ API_VERSIONS: JSON.stringify(table) })
    const { jwt: token } = await administrator(platform)
    const body = { name: 'of v1', expiresAt: tomorrow() }
    const made = await call(platform.origin, 'POST', `/v1${AT}`, { token, body })
    expect([made.status, made.json.id]).toEqual([200, made.json._id])
    expect(made.headers.get('x-platform-api-deprecation')).toContain('v1 is deprecated')
    expect(made.headers.get('deprecation')).toBe('@1735603200')
    expect(made.headers.get('sunset')).toBe('Tue, 31 Dec 2999 23:59:59 GMT')
    const listed = await call(platform.origin, 'GET', '/v1/workspaces', { token })
    expect([listed.status, Array.isArray(listed.json)]).toEqual([200, true])
    expect(listed.headers.get('deprecation')).toBe('@1735603200')
    expect((await call(platform.origin, 'GET', '/v3/me', { token })).status).toBe(404)
  })
})
