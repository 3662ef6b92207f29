import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { shapes } from './support/shapes.ts'

const guarded = {
  slug: 'guarded',
  name: 'guarded',
  when: { endpoint: true },
  authorizations: { action: 'anything' },
  output: { user: '{{user.id}}', said: '{{body.word}}', headers: '{{headers}}' },
}
const rules = [
  { action: 'read', subject: 'workspaces' },
  { action: 'create', subject: 'events' },
  { action: 'execute', subject: 'automations' },
]
const event = { events: [{ type: 'order.placed', payload: { order: 1 } }] }

describe.each(shapes)('an API key on $name', (shape) => {
  let platform: Platform
  let jwt: string
  let token: string
  let workspaceId: string
  let foreignId: string
  let key: string
  const uses: [string, string, unknown?][] = []

  const path = (rest = '', id = workspaceId) => `/v2/workspaces/${id}${rest}`
  const ask = (method: string, to: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(platform.origin, method, to, {
      headers: { 'x-platform-api-key': key, ...headers },
      ...(body === undefined ? {} : { body }),
    })
  const asAdministrator = (method: string, to: string, body?: unknown) =>
    call(platform.origin, method, to, { token: jwt, ...(body === undefined ? {} : { body }) })

  beforeAll(async () => {
    platform = await shape.start({ LOG_LEVEL: 'debug' })
    ;({ jwt, token } = await administrator(platform))
    workspaceId = await newWorkspace(platform.origin, jwt)
    foreignId = await newWorkspace(platform.origin, jwt, 'Foreign')
    await saveAutomation(platform.origin, jwt, workspaceId, guarded)
  })
  afterAll(async () => platform?.[Symbol.asyncDispose]())

  test('is made by an administrator of the workspace with a JWT, not with an access token', async () => {
    const refused = await call(platform.origin, 'POST', path('/security/apikeys'), {
      token,
      body: { name: 'CI', rules },
    })
    expect(refused.status).toBe(403)
    const made = await asAdministrator('POST', path('/security/apikeys'), { name: 'CI', rules })
    expect(made.status).toBe(200)
    expect(Object.keys(made.json).sort()).toEqual(['apiKey', 'name', 'rules', 'subjectId', 'subjectType'])
    key = made.json.apiKey
    uses.push(
      ['GET', path()],
      ['POST', path('/events'), event],
      ['POST', path('/webhooks/guarded'), { word: 'hello' }],
    )
  })

  test('reads the workspace, emits events and runs automations, as nobody', async () => {
    expect((await ask('GET', path())).json).toMatchObject({ id: workspaceId })
    const emitted = await ask('POST', path('/events'), event)
    expect(emitted.json).toMatchObject({ result: [{ type: 'order.placed' }] })
    const answer = await ask('POST', path('/webhooks/guarded'), { word: 'hello' })
    expect(answer.json).toMatchObject({ said: 'hello' })
    expect(answer.json.user).toBeFalsy()
    expect(answer.text).not.toContain(key)
    expect((await call(platform.origin, 'POST', path('/webhooks/guarded'), { body: {} })).status).toBe(404)
  })

  test('is refused everything else in its workspace with 403', async () => {
    const refused = await Promise.all([
      ask('PATCH', path(), { name: 'Mine' }),
      ask('DELETE', path()),
      ask('GET', path('/events')),
      ask('GET', path('/automations')),
      ask('POST', path('/test/guarded'), {}),
      ask('GET', path('/security/apikeys')),
      ask('POST', path('/security/apikeys'), { name: 'Another', rules }),
      ask('GET', '/v2/workspaces'),
      ask('POST', '/v2/workspaces', { name: 'New' }),
      ask('GET', '/v2/me'),
      ask('GET', '/v2/user/accessTokens'),
    ])
    expect(refused.map(({ status }) => status)).toEqual(Array(refused.length).fill(403))
  })

  test('knows no other workspace: 404, byte for byte as for a missing one', async () => {
    for (const [method, to, body] of [
      ['GET', ''],
      ['POST', '/events', event],
      ['POST', '/webhooks/guarded', {}],
      ['GET', '/automations'],
    ] as const) {
      const [foreign, missing] = [
        await ask(method, path(to, foreignId), body),
        await ask(method, path(to, 'a123456789012345'), body),
      ]
      expect(foreign.status).toBe(404)
      expect(foreign.text).toBe(missing.text)
    }
  })

  test('beside an anonymous session adds its rules, and the event is the user’s', async () => {
    const anonymous = await call(platform.origin, 'POST', '/v2/login/anonymous')
    const user = { authorization: `Bearer ${anonymous.json.token}` }
    const alone = await call(platform.origin, 'POST', path('/events'), { headers: user, body: event })
    expect(alone.status).toBe(404)
    const both = await ask('POST', path('/events'), event, user)
    expect(both.status).toBe(200)
    expect((await ask('POST', path('/events', foreignId), event, user)).status).toBe(404)
    const id = both.json.result[0].id
    await expect
      .poll(
        async () => (await feed(platform.origin, token, workspaceId)).find((one) => one.id === id)?.source,
      )
      .toMatchObject({ userId: anonymous.json.userId, workspaceId })
  })

  test('a forged slug, a cut key and a key in the query string are 401', async () => {
    const uuid = key.slice('iak_default_'.length)
    for (const forged of [`iak_other_${uuid}`, key.slice(0, -1), uuid]) {
      const answer = await call(platform.origin, 'GET', path(), { headers: { 'x-platform-api-key': forged } })
      expect(answer.status).toBe(401)
    }
    expect((await call(platform.origin, 'GET', path(`?apiKey=${uuid}`))).status).toBe(401)
  })

  test('is explained: what decides, in one sentence', async () => {
    const explain = (action: string, subject: string) =>
      asAdministrator('POST', path(`/security/apikeys/${key}/explain`), { action, subject })
    expect((await explain('create', 'events')).json).toMatchObject({
      allowed: true,
      rule: { subject: 'events' },
    })
    expect((await explain('delete', 'workspaces')).json).toMatchObject({ allowed: false, rule: null })
  })

  test('is not shown what was told of keys, though it may read events', async () => {
    const more = [...rules, { action: 'read', subject: 'events' }]
    const updated = await asAdministrator('PUT', path(`/security/apikeys/${key}`), { rules: more })
    expect(updated.status).toBe(200)
    const types = async (headers: Record<string, string>) => {
      const answer = await call(platform.origin, 'GET', path('/events?limit=100'), { headers })
      return answer.status === 200
        ? answer.json.result.events.map((one: { type: string }) => one.type)
        : answer.status
    }
    const owner = { authorization: `Bearer ${jwt}` }
    await expect.poll(() => types(owner)).toContain('apikeys.updated')
    await expect.poll(() => types({ 'x-platform-api-key': key })).toContain('order.placed')
    expect(await types({ 'x-platform-api-key': key })).not.toContain('apikeys.created')
  })

  test('deleted by the key itself in the path, it is refused by every service within a second', async () => {
    const calls = platform.origins.flatMap((origin) => uses.map((use) => [origin, ...use] as const))
    const headers = { 'x-platform-api-key': key }
    const statuses = () =>
      Promise.all(
        calls.map(
          async ([origin, method, to, body]) => (await call(origin, method, to, { headers, body })).status,
        ),
      )
    const all = (status: number) => calls.map(() => status)
    expect(await statuses()).toEqual(all(200))
    const deleted = await asAdministrator('DELETE', path(`/security/apikeys/${key}`))
    expect(deleted.status).toBe(200)
    const deletedAt = performance.now()
    await expect.poll(statuses, { interval: 50 }).toEqual(all(401))
    expect(performance.now() - deletedAt).toBePrompt(1500)
  })

  test('the logs of all this hold no key', () => {
    const output = platform.processes.map((one) => one.output()).join('')
    expect(output).toContain('/security/')
    expect(output).not.toContain(key.slice('iak_default_'.length))
  })
})
