import { getSecrets, patchSecrets, putSecrets } from '@platform/contracts'
import { sql } from '@platform/database'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { json, startOutside } from '../../../test/outside.ts'
import { startRuntime, type TestRuntime } from '../../../test/testing.ts'

let runtime: TestRuntime
let outside: Awaited<ReturnType<typeof startOutside>>
beforeAll(async () => {
  outside = await startOutside((_, response) => json(response, {}))
  runtime = await startRuntime({ env: { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RUN_SECRETS_MAX: '12' } })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

const ada = () => runtime.as({ userId: 'ada' })
const root = () => runtime.as({ userId: 'root', superAdmin: true })

const put = (id: string, body: unknown, headers: Record<string, string> = {}, principal = userPrincipal()) =>
  fetch(`${runtime.url}/v2/workspaces/${id}/security/secrets`, {
    method: 'PUT',
    headers: { ...runtime.headersOf(principal), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const namesOf = async (id: string) => Object.keys(await root()(getSecrets, { params: { workspaceId: id } }))

/** An automation that sends a secret away. */
const sending = () => ({
  main: {
    when: { endpoint: true as const },
    do: [{ fetch: { url: outside.url, headers: { authorization: 'Bearer {{secret.key}}' } } }],
  },
})

describe('PUT /v2/workspaces/:workspaceId/security/secrets', () => {
  test('makes them be these, which a fetch has from the next run on', async () => {
    const { id } = await runtime.workspace(sending())
    const params = { workspaceId: id }
    await ada()(putSecrets, { params, body: { key: { value: 'canary-1' }, old: { value: 7 } } })
    const secrets = await ada()(putSecrets, {
      params,
      body: { key: { value: 'canary-2' }, fresh: { value: 'x', description: 'New' } },
    })
    expect(Object.keys(secrets)).toEqual(['fresh', 'key'])
    expect(secrets.fresh).toMatchObject({ description: 'New', createdBy: 'ada', updatedBy: 'ada' })
    const got = outside.got.length
    await runtime.call(id, 'main')
    expect(outside.got[got]?.headers.authorization).toBe('Bearer canary-2')
    const events = await runtime.events(id, 'workspaces.secrets.updated')
    expect(events.map(({ payload }) => payload)).toEqual([
      { created: ['key', 'old'], updated: [], deleted: [] },
      { created: ['fresh'], updated: ['key'], deleted: ['old'] },
    ])
    expect(events[1]?.source).toMatchObject({ workspaceId: id, userId: 'ada', host: { service: 'runtime' } })
    const rows = await runtime.database.many(sql`
      select action, actor, details from audit.entries where subject = ${`workspace:${id}`} order by sequence`)
    expect(rows[1]).toMatchObject({ action: 'secrets.changed', actor: 'user:ada' })
    const kept = await runtime.database.many(sql`select * from runtime.secrets where workspace_id = ${id}`)
    expect(JSON.stringify([events, rows, kept])).not.toContain('canary')
  })

  test('keeps the value of one that is there where none is given, and says nothing where nothing changes', async () => {
    const { id } = await runtime.workspace(sending())
    const params = { workspaceId: id }
    const before = await ada()(putSecrets, { params, body: { key: { value: 'kept', description: 'A' } } })
    expect(await ada()(putSecrets, { params, body: { key: { description: 'A' } } })).toEqual(before)
    const described = await ada()(putSecrets, { params, body: { key: {} } })
    expect(described.key?.description).toBeUndefined()
    const got = outside.got.length
    await runtime.call(id, 'main')
    expect(outside.got[got]?.headers.authorization).toBe('Bearer kept')
    expect(await runtime.events(id, 'workspaces.secrets.updated')).toHaveLength(2)
  })

  test('by an owner leaves those of the platform, and those of users, as they are', async () => {
    const { id } = await runtime.workspace({})
    const params = { workspaceId: id }
    await root()(patchSecrets, { params, body: { prismeai_ratelimit_disabled: { value: 'true' } } })
    await runtime.database.many(sql`
      insert into runtime.secrets (workspace_id, scope, owner, name, sealed) values (${id}, 'user', 'eve', 'u', 'x')`)
    await ada()(putSecrets, { params, body: { key: { value: 'x' } } })
    expect(await ada()(putSecrets, { params, body: {} })).toEqual({})
    expect(await namesOf(id)).toEqual(['prismeai_ratelimit_disabled'])
    await root()(putSecrets, { params, body: {} })
    expect(await namesOf(id)).toEqual([])
    const left = await runtime.database.many(sql`select name from runtime.secrets where workspace_id = ${id}`)
    expect(left).toEqual([{ name: 'u' }])
  })

  test('refuses names of the platform to owners, and to all what they may not be', async () => {
    const { id } = await runtime.workspace({})
    const refused = await put(id, { prismeai_ratelimit_emits: { value: 1 } })
    expect(refused.status).toBe(403)
    expect(await refused.json()).toMatchObject({ error: 'ForbiddenError' })
    const as = userPrincipal({ userId: 'root', superAdmin: true })
    for (const [name, value, said] of [
      ['prismeai_ratelimit_fetches', 1, 'prismeai_ratelimit_fetchs'],
      ['prismeai_ratelimit_emits', 0, 'must be a number from 0.001 to 1000000'],
      ['prismeai_ratelimit_emits', 'many', 'must be a number from 0.001 to 1000000'],
      ['prismeai_ratelimit_emits_burst', -1, 'must be a number from 0.001 to 1000000'],
      ['prismeai_ratelimit_disabled', 'yes', 'must be true or false'],
    ] as const) {
      const response = await put(id, { [name]: { value } }, {}, as)
      expect(response.status).toBe(400)
      expect(JSON.stringify(await response.json())).toContain(said)
    }
    expect(await namesOf(id)).toEqual([])
  })

  test.each([
    [{ key: {} }, 'body.key.value'],
    [{ key: { value: '' } }, 'must not be empty'],
    [{ key: { value: null } }, 'must not be empty'],
    [{ key: { value: 'x'.repeat(16_385) } }, '16384 characters'],
    [{ key: { value: 'x', createdBy: 'eve' } }, 'body.key.createdBy'],
    [{ key: { value: 'x', description: null } }, 'body.key.description'],
    [{ '': { value: 'x' } }, 'needs a name'],
    [{ ['x'.repeat(201)]: { value: 'x' } }, 'at most 200 characters'],
    [{ 'a\u0007b': { value: 'x' } }, 'no control characters'],
    [Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`k${at}`, { value: 'x' }])), 'may have 12'],
    [[], 'body'],
  ])('refuses %j', async (body, said) => {
    const { id } = await runtime.workspace({})
    const response = await put(id, body)
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain(said)
    expect(await namesOf(id)).toEqual([])
    expect(await runtime.events(id, 'workspaces.secrets.updated')).toEqual([])
  })

  test('heeds If-Match, also of two that come together', async () => {
    const { id } = await runtime.workspace({})
    const first = await put(id, { key: { value: 'one' } })
    const etag = first.headers.get('etag') ?? ''
    expect((await put(id, { key: { value: 'x' } }, { 'if-match': '"other"' })).status).toBe(412)
    const both = await Promise.all(
      ['two', 'three'].map((value) => put(id, { key: { value } }, { 'if-match': etag })),
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412])
  })

  test('tells of too many names that there were', async () => {
    const small = await startRuntime({ env: { BROKER_EMIT_MAXLEN: '600' } })
    await using _ = small
    const { id } = await small.workspace({})
    await small.as({ userId: 'ada' })(putSecrets, {
      params: { workspaceId: id },
      body: { ['x'.repeat(150)]: { value: 'x' } },
    })
    const [event] = await small.events(id, 'workspaces.secrets.updated')
    expect(event?.payload).toEqual({ truncated: true })
  })

  test('is for owners who signed in: not for access tokens, strangers and callers without a credential', async () => {
    const { id } = await runtime.workspace({})
    const body = { key: { value: 'x' } }
    const token = userPrincipal({ userId: 'ada', via: 'accessToken', sessionId: 'at:1' })
    expect((await put(id, body, {}, token)).status).toBe(403)
    expect((await put(id, body, {}, userPrincipal({ userId: 'ada', scopes: ['events:read'] }))).status).toBe(
      403,
    )
    expect((await put(id, body, {}, userPrincipal({ userId: 'eve' }))).status).toBe(404)
    const params = { workspaceId: id }
    await expect(runtime.nobody(putSecrets, { params, body })).rejects.toMatchObject({ status: 401 })
    await expect(
      ada()(putSecrets, { params: { workspaceId: 'w0000000000000000' }, body }),
    ).rejects.toMatchObject({ status: 404 })
  })
})

test('without master keys nothing is kept, and that is said', async () => {
  await using bare = await startRuntime({ env: { SECRETS_MASTER_KEYS: '' } })
  const { id } = await bare.workspace({})
  const attempt = bare.as({ userId: 'ada' })(putSecrets, {
    params: { workspaceId: id },
    body: { key: { value: 'x' } },
  })
  await expect(attempt).rejects.toMatchObject({
    status: 503,
    message: expect.stringContaining('SECRETS_MASTER_KEYS'),
  })
})
