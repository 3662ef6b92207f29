import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test } from 'vitest'
import { administrator, call, newAccount, newWorkspace, saveAutomation } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const seen = {
  source: '{{run.sourceWorkspaceId}}',
  authenticated: '{{run.authenticatedWorkspaceId}}',
  user: '{{user.id}}',
}

describe.each(shapes)('two workspaces of different people, $name', { timeout: 120_000 }, (shape) => {
  let platform: Platform
  /** Eve owns the one that calls, the administrator the one that is called. */
  let eve: string
  let admin: string
  let calling: string
  let called: string
  const origin = () => platform.origin
  const at = (workspaceId: string, path: string) => `/v2/workspaces/${workspaceId}/webhooks/${path}`
  const save = (workspaceId: string, automation: object) =>
    saveAutomation(origin(), workspaceId === calling ? eve : admin, workspaceId, automation)
  /** A step that calls an automation of the other workspace. */
  const asking = (path: string, fields: object = {}) => ({
    fetch: { url: `{{global.apiUrl}}/workspaces/${called}/webhooks/${path}`, output: 'answer', ...fields },
  })
  const run = (path: string, token?: string, headers: Record<string, string> = {}) =>
    call(origin(), 'POST', at(calling, path), { ...(token === undefined ? {} : { token }), headers })

  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    ;({ token: admin } = await administrator(platform))
    ;({ jwt: eve } = await newAccount(platform.origin))
    calling = await newWorkspace(origin(), eve)
    called = await newWorkspace(origin(), admin)
    const when = { endpoint: true }
    await save(called, { slug: 'echo', when, output: seen })
    await save(called, { slug: 'members', when, authorizations: { action: 'manage' }, output: 'secret' })
    const output = '{{answer}}'
    await save(calling, { slug: 'ask', when, do: [asking('echo')], output })
    await save(calling, {
      slug: 'ask-members',
      when,
      do: [asking('members', { outputMode: 'detailed_response' })],
      output,
    })
    const auth = { prismeai: { forwardWorkspaceAuth: true } }
    await save(calling, { slug: 'ask-as-workspace', when, do: [asking('echo', { auth })], output })
    const proof = { auth: { workspace: true, output: 'proof' } }
    const headers = { Authorization: 'Bearer {{proof.jwt}}' }
    await save(calling, { slug: 'ask-with-proof', when, do: [proof, asking('echo', { headers })], output })
    await save(calling, { slug: 'show-proof', when, do: [proof], output: '{{proof.jwt}}' })
  }, 120_000)

  test('know which one calls, and for whom', async () => {
    const own = await call(origin(), 'POST', at(called, 'echo'), { token: eve })
    expect(own.json).toEqual({ user: expect.any(String) })
    expect((await run('ask', eve)).json).toEqual({ source: calling, user: own.json.user })
    expect((await run('ask')).json).toEqual({ source: calling })
  })

  test.each(['ask-as-workspace', 'ask-with-proof'])(
    'know the one that calls for itself (%s)',
    async (path) => {
      expect((await run(path, eve)).json).toEqual({ source: calling, authenticated: calling })
    },
  )

  test('let people do in the other what they may there, and nobody else', async () => {
    const { json: refused } = await run('ask-members', eve)
    expect(refused).toMatchObject({ status: 404, body: { error: 'ObjectNotFoundError' } })
    const { json: allowed } = await run('ask-members', admin)
    expect(allowed).toMatchObject({ status: 200, body: 'secret' })
  })

  test('lend nobody to one another: nothing else can be done there in their name', async () => {
    const asks = [
      ['get', `/workspaces/${called}/events`],
      ['get', `/workspaces/${called}/automations`],
      ['delete', `/workspaces/${called}`],
      ['get', '/workspaces'],
      ['get', '/user/accessTokens'],
      ['get', '/platform/signing-keys'],
      ['get', '/me'],
    ]
    const steps = asks.map(([method, path], index) => ({
      fetch: {
        url: `{{global.apiUrl}}${path}`,
        method,
        outputMode: 'detailed_response',
        output: `a${index}`,
      },
    }))
    await save(calling, {
      slug: 'abuse',
      when: { endpoint: true },
      do: steps,
      output: asks.map((_, index) => `{{a${index}.status}}`),
    })
    const { json } = await run('abuse', admin)
    for (const status of json) expect([401, 403, 404]).toContain(status)
    expect((await call(origin(), 'GET', `/v2/workspaces/${called}`, { token: admin })).status).toBe(200)
  })

  test('end where they call each other for ever', async () => {
    await save(called, {
      slug: 'pong',
      when: { endpoint: true },
      do: [{ fetch: { url: `{{global.apiUrl}}/workspaces/${calling}/webhooks/ping`, output: 'answer' } }],
      output: '{{answer}}',
    })
    await save(calling, {
      slug: 'ping',
      when: { endpoint: true },
      do: [asking('pong')],
      output: '{{answer}}',
    })
    const { json } = await run('ping', eve)
    expect(json).toMatchObject({ error: 'TooManyCallError' })
  })

  test('make nothing of a proof that was copied', async () => {
    const { json: proof } = await run('show-proof', eve)
    expect(proof).toMatch(/^eyJ/)
    const headers = { 'x-platform-run-token': proof, 'x-correlation-id': 'copied-by-somebody' }
    expect((await call(origin(), 'GET', `/v2/workspaces/${calling}`, { token: proof })).status).toBe(401)
    expect((await call(origin(), 'POST', at(called, 'echo'), { token: proof })).status).toBe(401)
    expect((await call(origin(), 'POST', at(called, 'echo'), { headers })).status).toBe(401)
  })

  const name = 'sourceWorkspaceId'
  const claims = Buffer.from(JSON.stringify({ sourceWorkspaceId: 'forged', iss: 'https://else.example' }))
  const form = 'multipart/form-data; boundary=x'
  const spots: [string, { headers?: Record<string, string>; raw?: string; query?: string; path?: string }][] =
    [
      ['the body', { raw: JSON.stringify({ [name]: 'forged', run: { [name]: 'forged' } }) }],
      [
        'a deep body',
        { raw: JSON.stringify({ body: { run: { [name]: 'forged' } }, source: { [name]: 'forged' } }) },
      ],
      ['a path as a key of the body', { raw: JSON.stringify({ 'run.sourceWorkspaceId': 'forged' }) }],
      ['the query', { query: `?${name}=forged` }],
      ['a path in the query', { query: '?run.sourceWorkspaceId=forged' }],
      ['brackets in the query', { query: '?run[sourceWorkspaceId]=forged' }],
      ['the name of the header in the query', { query: '?x-platform-workspace-id=forged' }],
      ['the token in the query', { query: '?x-platform-run-token=forged' }],
      ['the header', { headers: { 'x-platform-workspace-id': 'forged' } }],
      ['the header in capitals', { headers: { 'X-PLATFORM-WORKSPACE-ID': 'forged' } }],
      ['the header with underscores', { headers: { x_platform_workspace_id: 'forged' } }],
      ['the header with some underscores', { headers: { 'x-platform_workspace-id': 'forged' } }],
      [
        'the headers of a run',
        { headers: { 'x-platform-source-run-id': 'r', 'x-platform-source-depth': '1' } },
      ],
      [
        'all headers of a run',
        {
          headers: {
            'x-platform-workspace-id': 'forged',
            'x-platform-source-run-id': 'r',
            'x-platform-source-depth': '1',
          },
        },
      ],
      [
        'the header of an authenticated one',
        { headers: { 'x-platform-authenticated-workspace-id': 'forged' } },
      ],
      ['the header of whom a user is lent to', { headers: { 'x-platform-lent-to': 'forged' } }],
      ['a header of the name', { headers: { 'source-workspace-id': 'forged' } }],
      ['a header that proxies set', { headers: { 'x-forwarded-workspace-id': 'forged' } }],
      ['a cookie', { headers: { cookie: `${name}=forged; x-platform-workspace-id=forged` } }],
      [
        'the claims of a foreign JWT',
        { headers: { authorization: `Bearer e30.${claims.toString('base64url')}.x` } },
      ],
      [
        'a form',
        {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          raw: `run[${name}]=forged&${name}=forged`,
        },
      ],
      [
        'a field of a multipart form',
        {
          headers: { 'content-type': form },
          raw: `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nforged\r\n--x--\r\n`,
        },
      ],
      [
        'a file of a multipart form',
        {
          headers: { 'content-type': form },
          raw: `--x\r\nContent-Disposition: form-data; name="run"; filename="source.txt"\r\n\r\nforged\r\n--x--\r\n`,
        },
      ],
      ['a text', { headers: { 'content-type': 'text/plain' }, raw: 'run.sourceWorkspaceId=forged' }],
      [
        'a trace',
        {
          headers: {
            traceparent: '00-11111111111111111111111111111111-2222222222222222-01',
            baggage: `${name}=forged`,
          },
        },
      ],
      ['a correlation id', { headers: { 'x-correlation-id': 'sourceWorkspaceId-forged' } }],
      ['an idempotency key', { headers: { 'idempotency-key': 'sourceWorkspaceId=forged' } }],
      ['a parameter of the path', { path: 'anything/forged' }],
    ]

  test.each(spots)(
    'are told nothing by a client in %s',
    async (_, { headers = {}, raw, query = '', path = 'echo' }) => {
      await patternOnce()
      const answer = await call(origin(), 'POST', at(called, path) + query, {
        token: headers.authorization === undefined ? eve : undefined,
        headers,
        raw,
      } as Parameters<typeof call>[3])
      expect([answer.status, answer.text.includes('forged')]).toEqual([200, false])
      expect(answer.json).not.toHaveProperty('source')
      expect(answer.json).not.toHaveProperty('authenticated')
    },
  )

  let pattern: Promise<void> | undefined
  const patternOnce = () => {
    pattern ??= save(called, {
      slug: 'pattern',
      when: { endpoint: 'anything/:sourceWorkspaceId' },
      output: seen,
    })
    return pattern
  }

  test('are told nothing by an event that somebody emits', async () => {
    await save(called, {
      slug: 'on-event',
      when: { events: ['forged.source'] },
      do: [{ set: { name: 'global.seen', value: seen } }],
    })
    await save(called, { slug: 'read', when: { endpoint: true }, output: '{{global.seen}}' })
    const source = { sourceWorkspaceId: 'forged', workspaceId: calling }
    const body = { events: [{ type: 'forged.source', payload: { source, run: source, ...source } }] }
    expect(
      (await call(origin(), 'POST', `/v2/workspaces/${called}/events`, { token: admin, body })).status,
    ).toBe(200)
    await expect
      .poll(async () => (await call(origin(), 'POST', at(called, 'read'), { token: admin })).json, {
        timeout: 10_000,
      })
      .toEqual({ user: expect.any(String) })
    const withSource = { events: [{ type: 'forged.source', source, payload: {} }] }
    expect(
      (await call(origin(), 'POST', `/v2/workspaces/${called}/events`, { token: admin, body: withSource }))
        .status,
    ).toBe(400)
  })
})
