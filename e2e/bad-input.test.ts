import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { type Platform, startAllInOne } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'

let platform: Platform
let token: string
let jwt: string
let workspaceId: string
const send = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
  call(platform.origin, method, path, { token, ...options })

beforeAll(async () => {
  platform = await startAllInOne({ RUN_MAX_DURATION_SECONDS: '3' })
  ;({ token, jwt } = await administrator(platform))
  workspaceId = await newWorkspace(platform.origin, token)
  const save = (automation: object) => saveAutomation(platform.origin, token, workspaceId, automation)
  await save({ slug: 'echo', name: 'echo', when: { endpoint: true }, do: [], output: '{{body}}' })
  await save({
    slug: 'endless',
    name: 'endless',
    when: { endpoint: true },
    do: [{ repeat: { until: '1 == 2', do: [{ set: { name: 'x', value: 1 } }] } }],
  })
  await save({ slug: 'recursive', name: 'recursive', when: { endpoint: true }, do: [{ recursive: {} }] })
  await save({
    slug: 'loop',
    name: 'loop',
    when: { events: ['loop.again'] },
    do: [{ emit: { event: 'loop.again' } }],
  })
})
afterAll(async () => platform?.[Symbol.asyncDispose]())

describe('a body that is not what it should be', () => {
  const bodies: [
    name: string,
    raw: string | Uint8Array,
    headers: Record<string, string>,
    status: number,
    error: string,
  ][] = [
    ['malformed JSON', '{"name": ', {}, 400, 'RequestValidationError'],
    ['duplicate keys', '{"name":"a","name":"b"}', {}, 400, 'RequestValidationError'],
    ['a __proto__ key', '{"name":"a","__proto__":{}}', {}, 400, 'RequestValidationError'],
    ['another content type', 'name=a', { 'content-type': 'text/plain' }, 415, 'UnsupportedMediaType'],
    ['an unknown field', '{"name":"a","role":"owner"}', {}, 400, 'RequestValidationError'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), {}, 400, 'RequestValidationError'],
    ['a NUL character', '{"name":"a\\u0000b"}', {}, 400, 'RequestValidationError'],
    ['one byte more than 1 MB', `{"name":"${'a'.repeat(1_000_000 + 1 - 11)}"}`, {}, 413, 'PayloadTooLarge'],
  ]

  test.each(bodies)('%s is refused with a sentence', async (_, raw, headers, status, error) => {
    const answer = await send('POST', '/v2/workspaces', { raw, headers })
    expect(answer.status, answer.text).toBe(status)
    expect(answer.json).toMatchObject({ error, message: expect.stringMatching(/\.$/) })
  })

  test('an unknown field is named with its path', async () => {
    const answer = await send('POST', '/v2/workspaces', { body: { name: 'a', role: 'owner' } })
    expect(answer.json.details).toMatchObject([{ path: 'body.role' }])
  })
})

describe('an automation that is wrong', () => {
  const save = (raw: string, type = 'application/yaml') =>
    send('POST', `/v2/workspaces/${workspaceId}/automations`, { raw, headers: { 'content-type': type } })

  test('YAML errors are named with line and column', async () => {
    const answer = await save('name: x\ndo:\n  - set: {name: a, value: [}\n')
    expect(answer).toMatchObject({ status: 400, json: { error: 'InvalidAutomation' } })
    expect(answer.json.details[0]).toMatchObject({
      line: 3,
      column: expect.any(Number),
      message: expect.any(String),
    })
  })

  test('a malformed instruction is named with its path', async () => {
    const answer = await save('name: x\ndo:\n  - set:\n      value: 1\n')
    expect(answer).toMatchObject({ status: 400, json: { error: 'InvalidAutomation' } })
    expect(answer.json.details[0].path).toContain('do[0].set')
  })

  test('an expression that cannot be parsed is refused when saved', async () => {
    const answer = await save("name: x\ndo:\n  - set:\n      name: a\n      value: '{% 1 + %}'\n")
    expect(answer).toMatchObject({ status: 400, json: { error: 'InvalidAutomation' } })
  })
})

describe('an automation that misbehaves', () => {
  const run = (slug: string, timeoutMs = 30_000) =>
    send('POST', `/v2/workspaces/${workspaceId}/webhooks/${slug}`, { body: {}, timeoutMs })

  test('an endless loop ends as WorkflowTimeoutError while others are served', async () => {
    const endless = run('endless')
    const started = performance.now()
    expect((await send('GET', '/v2/me')).status).toBe(200)
    expect(performance.now() - started).toBePrompt(1500)
    expect(await endless).toMatchObject({ status: 400, json: { error: 'WorkflowTimeoutError' } })
  })

  test('recursion without end is TooManyCallError', async () => {
    expect(await run('recursive')).toMatchObject({ status: 400, json: { error: 'TooManyCallError' } })
  })

  test('a chain of events that triggers itself stops', async () => {
    await send('POST', `/v2/workspaces/${workspaceId}/events`, { body: { events: [{ type: 'loop.again' }] } })
    await vi.waitFor(
      async () => {
        const errors = await feed(
          platform.origin,
          token,
          workspaceId,
          'types=error&payload.type=TooManyCallError',
        )
        expect(errors.some(({ payload }) => payload.details.automationSlug === 'loop')).toBe(true)
      },
      { timeout: 30_000, interval: 200 },
    )
    const loops = await feed(platform.origin, token, workspaceId, 'types=loop.again')
    expect(loops.length).toBeLessThanOrEqual(25)
  })

  test('an automation that does not exist is 404', async () => {
    expect(await run('nothing-here')).toMatchObject({ status: 404, json: { error: 'ObjectNotFoundError' } })
  })

  test('data that looks like a template is passed on as it is', async () => {
    const body = { a: '{{run.correlationId}}', b: '{% 1 + 1 %}' }
    expect((await send('POST', `/v2/workspaces/${workspaceId}/webhooks/echo`, { body })).json).toEqual(body)
  })
})

describe('an event that may not be', () => {
  const emit = (events: unknown[]) =>
    send('POST', `/v2/workspaces/${workspaceId}/events`, { body: { events } })

  test('100,001 characters are refused with size and limit, 100,000 are not', async () => {
    const eventOf = (size: number) => {
      const empty = JSON.stringify({ type: 'big', payload: { text: '' } }).length
      return { type: 'big', payload: { text: 'x'.repeat(size - empty) } }
    }
    expect(await emit([eventOf(100_001)])).toMatchObject({
      status: 413,
      json: { error: 'EventTooLarge', details: { size: 100_001, max: 100_000 } },
    })
    expect((await emit([eventOf(100_000)])).status).toBe(200)
  })

  test('one bad event refuses the whole batch', async () => {
    const answer = await emit([{ type: 'batch.good' }, { type: 'bad type!' }])
    expect(answer.status).toBe(400)
    expect(await feed(platform.origin, token, workspaceId, 'types=batch.good')).toEqual([])
  })

  test.each(['gateway.jwks.updated', 'error', 'usage', 'runtime.automations.executed'])(
    'the native type %s is 403',
    async (type) => {
      expect((await emit([{ type }])).status).toBe(403)
    },
  )
})

describe('a caller who is not who they say', () => {
  test('a foreign workspace and a missing one answer alike', async () => {
    const other = await call(platform.origin, 'POST', '/v2/login/anonymous')
    const paths = (id: string) => [`/v2/workspaces/${id}/events`]
    const [foreign] = await Promise.all(
      paths(workspaceId).map((path) => send('GET', path, { token: other.json.token })),
    )
    const [missing] = await Promise.all(
      paths('aaaaaaaaaaaaaaaa').map((path) => send('GET', path, { token: other.json.token })),
    )
    expect(foreign?.status).toBe(404)
    expect(foreign?.text.replaceAll(workspaceId, 'ID')).toBe(
      missing?.text.replaceAll('aaaaaaaaaaaaaaaa', 'ID'),
    )
  })

  test('a forged x-platform-user-id changes nothing', async () => {
    const honest = await send('GET', '/v2/me')
    const forged = await send('GET', '/v2/me', {
      headers: { 'x-platform-user-id': 'somebody', 'x-platform-role': 'superadmin' },
    })
    expect(forged.json).toEqual(honest.json)
  })

  test('an expired, a forged and a revoked token are 401', async () => {
    const [head = '', payload = ''] = jwt.split('.')
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    const hmac = createHmac('sha256', 'key').update(`${head}.${payload}`).digest('base64url')
    const revoked = await call(platform.origin, 'POST', '/v2/login/anonymous')
    await call(platform.origin, 'DELETE', '/v2/user/sessions/current', { token: revoked.json.token })
    for (const bad of [
      `${none}.${payload}.`,
      `${head}.${payload}.${hmac}`,
      `${head}.${payload}.`,
      'rubbish',
      'at:rubbish',
      revoked.json.token,
    ]) {
      const answer = await send('GET', '/v2/me', { token: bad })
      expect(answer, bad).toMatchObject({ status: 401, json: { error: 'AuthenticationError' } })
    }
  })

  test('two Authorization headers are 400', async () => {
    const { port } = new URL(platform.origin)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      'GET /v2/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ' +
        `${token}\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n`,
    )
    let answer = ''
    for await (const chunk of socket) answer += chunk
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each(['%00', '..%2f..', 'a b', '%ff'])('the id %s is no id', async (id) => {
    const answer = await send('GET', `/v2/workspaces/${id}`)
    expect([400, 404]).toContain(answer.status)
    expect(answer.json).toMatchObject({ error: expect.any(String) })
  })

  test('a retired version is 410 and tells where to go', async () => {
    const answer = await call(platform.origin, 'GET', '/v1/workspaces')
    expect(answer).toMatchObject({
      status: 410,
      json: { error: 'RetiredVersion', details: { version: 'v1', successor: 'v2' } },
    })
    expect(answer.headers.get('link')).toBe('</v2>; rel="successor-version"')
  })
})
