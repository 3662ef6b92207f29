import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { answerDescription } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answers, startOutside } from '../../test/outside.ts'
import {
  startRuntime,
  type TestAutomation,
  type TestAutomations,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'

const endpoint = { when: { endpoint: true } }
const setting = (name: string, value: unknown) => ({ set: { name, value } })
const steps = (...list: Record<string, unknown>[]) => ({ ...endpoint, do: list })

const documented = ({ do: list, output }: { do: readonly object[]; output: unknown }) => ({
  ...endpoint,
  do: list as Record<string, unknown>[],
  output,
})

const withToken = { body: { type: 'object', properties: { token: { type: 'string', secret: true } } } }

const automations: TestAutomations = {
  accepted: { ...steps(setting('$http', { status: 202, headers: { 'X-Left': 3 } })), output: { a: 1 } },
  late: { ...steps(setting('$http.status', 401), { break: { payload: { error: 'no' } } }), output: 1 },
  page: { ...steps(setting('$http.headers', { 'Content-Type': 'text/html' })), output: '<p>{{query.a}}</p>' },
  policy: {
    ...steps(
      setting('$http.headers.content-type', 'text/html'),
      setting('$http.headers["Content-Security-Policy"]', "default-src 'none'"),
    ),
    output: 'x',
  },
  file: {
    ...steps(setting('$http', { headers: { 'content-type': 'image/png', 'cache-control': 'max-age=60' } })),
    output: { base64: 'AAH/', mimetype: 'image/png' },
  },
  away: { ...steps(setting('$http', { status: 302, headers: { Location: 'https://example.com/' } })) },
  empty: { ...steps(setting('$http.status', 204)), output: 'never sent' },
  inner: { ...steps({ helper: { $http: '{{$http}}', a: 1, output: 'r' } }), output: '{{r}}' },
  alone: { ...steps({ helper: { a: 1, output: 'r' } }), output: '{{r}}' },
  helper: {
    do: [setting('$http.status', 418)],
    arguments: { a: { type: 'number' } },
    schemas: [{ payload: { type: 'object', properties: { a: {} }, additionalProperties: false } }],
    validateArguments: true,
    output: '{{a}}',
  },
  listener: { when: { events: ['go'] }, do: [setting('$http.status', 500), { emit: { event: 'went' } }] },
  given: { ...steps(setting('$http', '{{body}}')), output: 1 },
  chunks: {
    ...steps(
      setting('$http.headers', { 'X-First': 'yes', 'content-type': 'text/plain' }),
      setting('$http.chunk', { text: 'one\ntwo' }),
      setting('$http', { status: 500, headers: { 'x-late': 'no' }, chunk: 2 }),
      setting('$http.chunk', '{{missing}}'),
      setting('$http.chunk', null),
    ),
    output: { done: true },
  },
  quiet: steps(setting('$http.chunk', 1)),
  broken: steps(setting('$http.chunk', 1), setting('user.role', 2)),
  many: steps(
    { repeat: { on: '{{body.rounds}}', do: [setting('$http.chunk', '{{body.text}}')] } },
    { emit: { event: 'sent' } },
  ),
  leaking: { ...steps(setting('$http.chunk', 1), { '{{body.token}}': {} }), arguments: withToken },
  failing: { ...steps({ '{{body.token}}': {} }), arguments: withToken },
  documented: documented(answerDescription.example),
  streamed: documented(answerDescription.streamed),
  proxied: documented(answerDescription.proxied),
  sure: { ...steps(setting('$http.chunk', 1)), durable: true, output: 2 },
}

let runtime: TestRuntime
let workspace: TestWorkspace
let model: Awaited<ReturnType<typeof startOutside>>
beforeAll(async () => {
  runtime = await startRuntime({ env: { FETCH_ALLOWED_HOSTS: '127.0.0.0/8' } })
  model = await startOutside(speak)
  const { proxied, ...others } = automations
  const atModel = JSON.stringify(proxied).replace('https://model.example', model.url)
  workspace = await runtime.workspace({ ...others, proxied: JSON.parse(atModel) as TestAutomation })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  await model[Symbol.asyncDispose]()
})

/** A language model that streams two words. */
const speak: Answers = ({ text }, response) => {
  const { prompt } = JSON.parse(text) as { prompt: string }
  const deltas = [prompt, ' world'].map((delta) => `data: ${JSON.stringify({ delta })}\n\n`)
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`${deltas.join('')}data: [DONE]\n\n`)
}

const call = (path: string, init: RequestInit = {}) => runtime.call(workspace.id, path, init)
const post = (path: string, body: unknown) =>
  call(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })
const frames = async (response: Response) => (await response.text()).split('\n\n').filter((one) => one !== '')
const events = (type: string) => runtime.events(workspace.id, type)

test('the examples give what the documents say', async () => {
  const whole = await post('documented', { id: 42 })
  expect([whole.status, whole.headers.get('x-order')]).toEqual([201, '42'])
  expect(await whole.text()).toBe(answerDescription.example.gives)
  expect(await (await call('streamed')).text()).toBe(answerDescription.streamed.gives)
  expect(await (await post('proxied', { prompt: 'Hello' })).text()).toBe(answerDescription.proxied.gives)
})

describe('an answer that is shaped', () => {
  test('has the status and the headers that were set', async () => {
    const response = await call('accepted')
    expect(response.status).toBe(202)
    expect(response.headers.get('x-left')).toBe('3')
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual({ a: 1 })
  })

  test('keeps its status when a break gives the output', async () => {
    const response = await call('late')
    expect([response.status, await response.json()]).toEqual([401, { error: 'no' }])
  })

  test('is a text of its type, in a sandbox where it is a page', async () => {
    const response = await call('page?a=hello')
    expect(await response.text()).toBe('<p>hello</p>')
    expect(response.headers.get('content-type')).toBe('text/html')
    expect(response.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const own = (await call('policy')).headers.get('content-security-policy')
    expect(own).toMatch(/^sandbox .*, default-src 'none'$/)
  })

  test('is the bytes of a file', async () => {
    const response = await call('file')
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(new Uint8Array([0, 1, 255]))
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('cache-control')).toBe('max-age=60')
    expect(response.headers.get('content-length')).toBe('3')
  })

  test('leads elsewhere, or is nothing', async () => {
    const away = await call('away', { redirect: 'manual' })
    expect([away.status, away.headers.get('location')]).toEqual([302, 'https://example.com/'])
    const empty = await call('empty')
    expect([empty.status, await empty.text()]).toEqual([204, ''])
  })

  test('is shaped by an automation that is called with $http, and by no other', async () => {
    expect((await call('inner')).status).toBe(418)
    const alone = await call('alone')
    expect([alone.status, await alone.json()]).toEqual([200, 1])
    const executed = await events('runtime.automations.executed')
    const calls = executed.map(({ payload }) => payload as { slug: string; payload: unknown })
    const helped = calls.filter(({ slug }) => slug === 'helper')
    expect(helped.map(({ payload }) => payload)).toEqual([{ a: 1 }, { a: 1 }])
  })

  test.each([
    [{ status: 99 }, '200 to 599'],
    [{ status: 'many' }, '200 to 599'],
    [{ headers: { 'Set-Cookie': 'a=b' } }, "can't be set"],
    [{ headers: { 'X-Platform-User-Id': 'eve' } }, "can't be set"],
    [{ headers: { 'Access-Control-Allow-Origin': '*' } }, "can't be set"],
    [{ headers: { 'Content-Length': 5 } }, "can't be set"],
    [{ headers: { a: 'b\r\nset-cookie: x' } }, 'characters that no header may have'],
    [{ headers: { 'a b': 'c' } }, 'characters that no header may have'],
    [{ headers: { a: { b: 1 } } }, 'must be a text'],
    [{ headers: { a: 'x'.repeat(9000) } }, '8000 characters'],
    [{ headers: 'x' }, 'an object of headers'],
    [{ chunks: 1 }, 'means nothing'],
    [{ sseKeepAlive: 'often' }, 'milliseconds'],
    ['text', 'set to an object'],
  ])('refuses %j', async (wanted, sentence) => {
    const response = await post('given', wanted)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: 'InvalidInstructionError',
      message: expect.stringContaining(sentence),
    })
  })
})

describe('chunks', () => {
  test('come as a stream of events, with the output as the last', async () => {
    const response = await call('chunks')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    expect([response.headers.get('x-first'), response.headers.get('x-late')]).toEqual(['yes', null])
    expect(await frames(response)).toEqual([
      'data: {"text":"one\\ntwo"}',
      'data: 2',
      'data: null',
      'data: {"done":true}',
    ])
  })

  test('end without an output where there is none', async () => {
    expect(await frames(await call('quiet'))).toEqual(['data: 1'])
  })

  test('end with a failure that repeats no secret', async () => {
    const response = await post('leaking', { token: 'tok-canary-42' })
    const text = await response.text()
    expect(text).toContain('There is no automation \\"REDACTED\\"')
    expect(text).not.toContain('canary')
    const whole = await post('failing', { token: 'tok-canary-42' })
    const body = await whole.text()
    expect(body).toContain('REDACTED')
    expect(body).not.toContain('canary')
    const known = await runtime.database.many(sql`
      select record::text as text from outbox.events where workspace_id = ${workspace.id}
      union all select error::text from runtime.runs where workspace_id = ${workspace.id} and error is not null`)
    expect(JSON.stringify(known)).toContain('There is no automation')
    expect(JSON.stringify(known)).not.toContain('canary')
  })

  test('end with the failure of the run', async () => {
    const response = await call('broken')
    const [first, last = ''] = await frames(response)
    expect([response.status, first]).toEqual([200, 'data: 1'])
    expect(JSON.parse(last.slice(6))).toMatchObject({ error: 'InvalidVariableNameError' })
  })

  test('leave a durable run as well, and HEAD gets none', async () => {
    expect(await frames(await call('sure'))).toEqual(['data: 1', 'data: 2'])
    const response = await call('quiet', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  async function open(rounds: number): Promise<IncomingMessage> {
    const body = JSON.stringify({ rounds: Array.from({ length: rounds }), text: 'x'.repeat(50_000) })
    const sending = httpRequest(`${runtime.url}/v2/workspaces/${workspace.id}/webhooks/many`, {
      method: 'POST',
      headers: { ...runtime.headersOf(undefined), 'content-type': 'application/json' },
    })
    sending.end(body)
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    return response
  }

  test('wait for a slow reader, and lose nothing', async () => {
    const before = (await events('sent')).length
    const response = await open(400)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect((await events('sent')).length).toBe(before)
    let size = 0
    for await (const piece of response) size += (piece as Buffer).length
    expect(size).toBe(400 * (50_000 + 'data: ""\n\n'.length))
    expect((await events('sent')).length).toBe(before + 1)
  })

  test('go nowhere when the reader has left, and the run goes on', async () => {
    const before = (await events('sent')).length
    const response = await open(400)
    response.destroy()
    await vi.waitFor(async () => expect((await events('sent')).length).toBe(before + 1), 5000)
  })
})
