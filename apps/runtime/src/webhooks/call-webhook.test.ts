import { callWebhook, getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let hello: TestWorkspace
let other: TestWorkspace

const echo = {
  when: { endpoint: true },
  output: {
    body: '{{body}}',
    query: '{{query}}',
    headers: '{{headers}}',
    method: '{{method}}',
    pathParams: '{{pathParams}}',
  },
}

beforeAll(async () => {
  runtime = await startRuntime()
  hello = await runtime.workspace({
    greet: { when: { endpoint: true }, output: 'Hello {{body.name}}' },
    silent: { when: { endpoint: true } },
    echo,
    raw: { when: { endpoint: true }, output: '{{rawBody}}' },
    pattern: { when: { endpoint: 'v1/users/:id/*rest' }, output: '{{pathParams}}' },
    off: { when: { endpoint: true }, disabled: true, output: 1 },
    hidden: { output: 1 },
    private: { when: { endpoint: true }, private: true, output: 'still answers' },
    guarded: {
      when: { endpoint: true },
      authorizations: { action: 'admin' },
      output: '{{user.id}} is {{user.role}}',
    },
    strict: {
      when: { endpoint: true },
      arguments: { body: { type: 'object', properties: { n: { type: 'number' } } } },
      validateArguments: true,
    },
    fails: { when: { endpoint: true }, do: [{ set: { name: 'user.role', value: 1 } }] },
    chain: {
      when: { endpoint: true },
      do: [
        { greet: { body: { name: 'x' }, output: 'r' } },
        { emit: { event: 'done', payload: { r: '{{r}}' } } },
      ],
      output: '{{r}}',
    },
    loop: { when: { endpoint: true }, do: [{ loop: {} }] },
    evil: { when: { endpoint: true }, output: '{{body}}' },
    listener: { when: { events: ['runtime.webhooks.triggered'] } },
  })
  other = await runtime.workspace({ greet: { when: { endpoint: true }, output: 'other' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const post = (path: string, body: unknown, headers: Record<string, string> = {}, workspace = hello.id) =>
  runtime.call(workspace, path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  })
const json = async (response: Response) => ({ status: response.status, body: await response.json() })
const missing = { status: 404, body: { error: 'ObjectNotFoundError', message: expect.any(String) } }

describe('calling a URL trigger', () => {
  test('answers the output to anybody', async () => {
    expect(await json(await post('greet', { name: 'Ada' }))).toEqual({ status: 200, body: 'Hello Ada' })
    const params = { workspaceId: hello.id, path: 'greet' }
    expect(await runtime.nobody(callWebhook, { params, method: 'post', body: { name: 'x' } })).toBe('Hello x')
    expect(
      await runtime.as({ userId: 'eve' })(callWebhook, { params, method: 'put', body: { name: 'y' } }),
    ).toBe('Hello y')
  })

  test('answers {} when there is no output', async () => {
    expect(await json(await runtime.call(hello.id, 'silent'))).toEqual({ status: 200, body: {} })
  })

  test('takes the slug of the workspace for its id', async () => {
    expect(await json(await post('greet', { name: 1 }, {}, `slug:${hello.slug}`))).toMatchObject({
      body: 'Hello 1',
    })
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('takes %s', async (method) => {
    expect(await json(await runtime.call(hello.id, 'echo?a=1&a=2&b=x', { method }))).toMatchObject({
      body: { method, query: { a: ['1', '2'], b: 'x' }, body: {} },
    })
  })

  test('finds patterns and decodes what they hold', async () => {
    expect(await json(await runtime.call(hello.id, 'v1/users/a%20b/x/y'))).toMatchObject({
      body: { id: 'a b', rest: 'x/y' },
    })
  })

  test('answers a private automation', async () => {
    expect(await json(await runtime.call(hello.id, 'private'))).toMatchObject({ body: 'still answers' })
  })

  test('answers one and the same for everything that is not there', async () => {
    const answers = await Promise.all([
      post('nothing', {}),
      post('off', {}),
      post('hidden', {}),
      post('greet', {}, {}, 'w0000000000000000'),
      post('greet', {}, {}, 'slug:nowhere'),
      post('guarded', {}),
      post('v1/users/1', {}),
    ])
    const bodies = await Promise.all(answers.map(json))
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1)
    expect(bodies[0]).toEqual(missing)
  })

  test('an automation that names an action is for members', async () => {
    const params = { workspaceId: hello.id, path: 'guarded' }
    expect(await runtime.as({ userId: 'ada' })(callWebhook, { params, method: 'get' })).toBe('ada is owner')
    await expect(runtime.as({ userId: 'eve' })(callWebhook, { params, method: 'get' })).rejects.toMatchObject(
      { status: 404 },
    )
    await expect(
      runtime.as({ userId: 'root', superAdmin: true })(callWebhook, { params, method: 'get' }),
    ).resolves.toContain('root')
  })

  test('a token without the scope may not', async () => {
    const attempt = runtime.as({ scopes: [] })(callWebhook, {
      params: { workspaceId: hello.id, path: 'greet' },
      method: 'get',
    })
    await expect(attempt).rejects.toMatchObject({ name: 'InsufficientScope', status: 403 })
  })

  test('refuses callers that did not come through the gateway', async () => {
    const response = await fetch(`${runtime.url}/v2/workspaces/${hello.id}/webhooks/greet`)
    expect(response.status).toBe(401)
  })

  test('invalid arguments are refused with details', async () => {
    expect(await json(await post('strict', { n: 'x' }))).toMatchObject({
      status: 400,
      body: { error: 'InvalidArgumentsError', details: [{ path: 'body.n' }] },
    })
  })

  test('a failure of the automation is answered flat', async () => {
    expect(await json(await post('fails', {}))).toEqual({
      status: 400,
      body: { error: 'InvalidVariableNameError', message: expect.stringContaining('user.role') },
    })
  })

  test('calls end at the twentieth', async () => {
    expect(await json(await post('loop', {}))).toMatchObject({
      status: 400,
      body: { error: 'TooManyCallError' },
    })
    const events = await runtime.events(hello.id)
    expect(
      events.filter(({ source }) => source.automationSlug === 'loop' && source.automationDepth === 20),
    ).not.toEqual([])
  })

  test('data that looks like a template comes back as it was', async () => {
    const body = { a: '{{user.email}}', b: ['{% 1 + 1 %}', '{{run.permissions}}'], '{{c}}': '{{{{a}}}}' }
    expect(await json(await post('evil', body))).toEqual({ status: 200, body })
  })
})

describe('the body of a URL call', () => {
  test.each([
    ['a broken JSON', '{"a":', 'application/json'],
    ['a key twice', '{"a":1,"a":2}', 'application/json'],
    ['a prototype key', '{"__proto__":1}', 'application/json'],
    ['a NUL in JSON', '{"a":"\\u0000"}', 'application/json'],
    ['a NUL in a text', 'a\u0000b', 'text/plain'],
    ['a NUL in a form', 'a=%00', 'application/x-www-form-urlencoded'],
    ['a form field named like a prototype', '__proto__=1', 'application/x-www-form-urlencoded'],
    ['bytes that are no UTF-8', new Uint8Array([0xff, 0xfe]), 'text/plain'],
    ['a multipart form without boundary', 'x', 'multipart/form-data'],
    [
      'a multipart form that ends in a file',
      '--b\r\nContent-Disposition: form-data; name="a"; filename="x"\r\n\r\nabc',
      'multipart/form-data; boundary=b',
    ],
    [
      'a multipart form that ends in a field',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nabc',
      'multipart/form-data; boundary=b',
    ],
    ['a multipart form that ends in its headers', '--b\r\nContent-Disp', 'multipart/form-data; boundary=b'],
    ['a multipart form of something else', 'abc', 'multipart/form-data; boundary=b'],
  ])('%s is refused', async (_, body, type) => {
    expect(await json(await post('echo', body, { 'content-type': type }))).toMatchObject({
      status: 400,
      body: { error: 'RequestValidationError' },
    })
  })

  test('a NUL in the query is refused', async () => {
    expect((await runtime.call(hello.id, 'echo?a=%00')).status).toBe(400)
  })

  test('more than a megabyte is refused', async () => {
    expect(await json(await post('echo', { a: 'x'.repeat(1_000_001) }))).toMatchObject({
      status: 413,
      body: { error: 'PayloadTooLarge' },
    })
  })

  test.each([
    ['a form', 'a=1&a=2&b=%C3%A9', 'application/x-www-form-urlencoded', { a: ['1', '2'], b: 'é' }],
    ['a text', 'Hi', 'text/plain; charset=utf-8', 'Hi'],
    ['XML', '<a/>', 'application/xml', '<a/>'],
    ['JSON of another name', '{"a":1}', 'application/cloudevents+json', { a: 1 }],
    ['a JSON that is no object', '[1]', 'application/json', [1]],
    [
      'bytes',
      new Uint8Array([1, 2]),
      'application/octet-stream',
      { mimetype: 'application/octet-stream', size: 2, base64: 'AQI=' },
    ],
  ])('%s is read', async (_, body, type, expected) => {
    const answered = await json(await post('echo', body, { 'content-type': type }))
    expect(answered.body).toMatchObject({ body: expected })
  })

  test('files of a multipart form are read', async () => {
    const form = new FormData()
    form.append('note', 'hi')
    form.append('pictures', new File(['abc'], 'a.png', { type: 'image/png' }))
    form.append('pictures', new File(['de'], 'b.png', { type: 'image/png' }))
    const { body } = await json(await runtime.call(hello.id, 'echo', { method: 'POST', body: form }))
    expect(body).toMatchObject({
      body: {
        note: 'hi',
        pictures: [
          { originalname: 'a.png', mimetype: 'image/png', size: 3, base64: 'YWJj' },
          { originalname: 'b.png', size: 2 },
        ],
      },
    })
  })

  test('a multipart form with too many parts is refused', async () => {
    const form = new FormData()
    for (let part = 0; part < 60; part += 1) form.append(`p${part}`, 'x')
    expect((await runtime.call(hello.id, 'echo', { method: 'POST', body: form })).status).toBe(400)
  })

  test('the raw bytes are there for those who check signatures', async () => {
    expect(await json(await post('raw', '{"a": 1}'))).toMatchObject({
      body: Buffer.from('{"a": 1}').toString('base64'),
    })
  })
})

describe('the headers an automation sees', () => {
  const shown = async (headers: Record<string, string>) => {
    const { body } = await json(await post('echo', {}, headers))
    return (body as { headers: Record<string, string> }).headers
  }

  test('are those of other systems, their Bearer too', async () => {
    expect(
      await shown({ 'x-hub-signature-256': 'sha256=abc', authorization: 'Bearer of-github' }),
    ).toMatchObject({
      'x-hub-signature-256': 'sha256=abc',
      authorization: 'Bearer of-github',
    })
  })

  test('are none of ours', async () => {
    const claims = Buffer.from(JSON.stringify({ iss: 'http://localhost:3001/oidc' })).toString('base64url')
    for (const authorization of ['Bearer at:abc', `Bearer e30.${claims}.x`]) {
      const headers = await shown({ authorization, cookie: 'access-token=x' })
      expect(Object.keys(headers).filter((name) => name.startsWith('x-platform-'))).toEqual([])
      expect(headers).not.toHaveProperty('authorization')
      expect(headers).not.toHaveProperty('cookie')
      expect(headers).not.toHaveProperty('host')
    }
  })
})

describe('what a URL call leaves behind', () => {
  test('the run, an event for each call and what was emitted are committed before the answer', async () => {
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [{ child: { x: 1 } }, { emit: { event: 'done', payload: { a: 1 } } }],
        output: 2,
      },
      child: { output: 3 },
    })
    const response = await runtime.call(workspace.id, 'main', {
      headers: { 'x-correlation-id': 'corr-12345678' },
    })
    expect(await response.json()).toBe(2)
    const events = await runtime.events(workspace.id)
    expect(events.map(({ type, payload }) => [type, Reflect.get(Object(payload), 'slug')])).toEqual([
      ['runtime.automations.executed', 'child'],
      ['done', undefined],
      ['runtime.automations.executed', 'main'],
    ])
    for (const { source } of events)
      expect(source).toMatchObject({ workspaceId: workspace.id, correlationId: 'corr-12345678' })
    expect(events[1]?.source).toMatchObject({
      automationSlug: 'main',
      automationDepth: 1,
      serviceTopic: 'topic:runtime:emit',
    })
    expect(events[2]?.payload).toMatchObject({
      trigger: { type: 'endpoint', value: 'main' },
      output: 2,
      break: false,
    })
  })

  test('the user is not named in what an automation emits', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ emit: { event: 'done' } }] },
    })
    await runtime.as({ userId: 'ada' })(callWebhook, {
      params: { workspaceId: workspace.id, path: 'main' },
      method: 'get',
    })
    const [event] = await runtime.events(workspace.id, 'done')
    expect(event?.source).toMatchObject({ sessionId: 'session-of-ada' })
    expect(event?.source).not.toHaveProperty('userId')
  })

  test('a failure is told once, with its place', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ child: {} }] },
      child: { do: [{ set: { name: 'a', value: 1 } }, { set: { name: 'user.role', value: 1 } }] },
    })
    expect((await runtime.call(workspace.id, 'main')).status).toBe(400)
    const events = await runtime.events(workspace.id)
    const executed = events.filter(({ type }) => type === 'runtime.automations.executed')
    expect(executed.map(({ payload }) => Reflect.get(Object(payload), 'error')?.error)).toEqual([
      'InvalidVariableNameError',
      undefined,
    ])
    const errors = events.filter(({ type }) => type === 'error')
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatchObject({
      payload: {
        type: 'InvalidVariableNameError',
        details: { automationSlug: 'child', instruction: 'do[1].set' },
      },
      error: { error: 'InvalidVariableNameError', level: 'error' },
    })
  })

  test('an automation sees the providers of its caller by the names that /v2/me has', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, output: '{{user.authData}}' },
    })
    const headers = runtime.headersOf(userPrincipal({ userId: 'ada' }))
    const { body } = await json(await post('main', {}, headers, workspace.id))
    const me = getMe.response.parse(getMe.example?.response)
    expect(body).toEqual(me.authData)
  })

  test('a missing automation inside a run is told as a failure of the run, not as a missing URL', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ child: {} }] },
      child: { do: [{ 'not there': {} }] },
    })
    expect(await json(await post('main', {}, {}, workspace.id))).toMatchObject({
      status: 400,
      body: {
        error: 'InvalidInstructionError',
        message:
          'The automation "child" ran and failed at do[0].not there: ' +
          'There is no automation "not there" in this workspace.',
        details: { automationSlug: 'child', instruction: 'do[0].not there' },
      },
    })
  })

  test('neither the events nor the record of a failed run show a secret', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ child: { token: '{{body.token}}' } }] },
      child: { arguments: { token: { type: 'string', secret: true } }, do: [{ '{{token}}': {} }] },
    })
    await post('main', { token: 'hidden-away' }, {}, workspace.id)
    const [run] = await runtime.database.many<{ error: unknown }>(
      sql`select error from runtime.runs where workspace_id = ${workspace.id}`,
    )
    expect(run?.error).toEqual({
      error: 'ObjectNotFoundError',
      message: 'There is no automation "REDACTED" in this workspace.',
      automationSlug: 'child',
      instruction: 'do[0].{{token}}',
    })
    const [error] = await runtime.events(workspace.id, 'error')
    expect(JSON.stringify(error)).not.toContain('hidden-away')
  })

  test('what is too large for an event is cut', async () => {
    const workspace = await runtime.workspace({ main: { when: { endpoint: true }, output: '{{body}}' } })
    await post('main', { a: 'x'.repeat(20_000) }, {}, workspace.id)
    const [event] = await runtime.events(workspace.id)
    expect(event?.size).toBeLessThanOrEqual(10_000)
    expect(event?.payload).toMatchObject({ output: { truncated: true } })
  })

  test('runtime.webhooks.triggered only where somebody listens', async () => {
    await post('greet', {}, {}, other.id)
    expect(await runtime.events(other.id, 'runtime.webhooks.triggered')).toEqual([])
    await post('silent', {})
    expect((await runtime.events(hello.id, 'runtime.webhooks.triggered')).length).toBeGreaterThan(0)
  })
})

describe('the limit of URL triggers', () => {
  test('is one for a workspace, whichever address is called; another workspace has its own', async () => {
    await using limited = await startRuntime({
      env: { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_WEBHOOKS: '6' },
    })
    const [busy, quiet] = [
      await limited.workspace({ greet: { when: { endpoint: true }, output: 1 } }),
      await limited.workspace({ greet: { when: { endpoint: true }, output: 2 } }),
    ]
    // What strangers try counts for nobody.
    for (let count = 0; count < 10; count += 1)
      expect((await limited.call(busy.id, 'nothing-here')).status).toBe(404)
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await limited.call(busy.id, 'greet')).status)
      statuses.push((await limited.call(`slug:${busy.slug}`, 'greet')).status)
    }
    expect(statuses).toEqual([...Array(6).fill(200), 429, 429])
    const refused = await limited.call(busy.id, 'greet')
    expect(refused.headers.get('ratelimit-policy')).toBe('"webhooks";q=6;w=60')
    expect((await limited.call(quiet.id, 'greet')).status).toBe(200)
  })

  test('counts what ran, also where the run failed as if nothing were there', async () => {
    await using limited = await startRuntime({
      env: { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_WEBHOOKS: '2' },
    })
    const { id } = await limited.workspace({ broken: { when: { endpoint: true }, do: [{ gone: {} }] } })
    const statuses: number[] = []
    for (let count = 0; count < 3; count += 1) statuses.push((await limited.call(id, 'broken')).status)
    expect(statuses).toEqual([400, 400, 429])
  })
})
